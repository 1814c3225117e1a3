package io.gpushare.nvml;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The facts of a card that do not change while the driver runs; empty where card or driver does not report them.
 *
 * @param index the card's index in NVML, which may change with a restart
 * @param uuid NVML's UUID, {@code GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}, which identifies the card
 * @param model the product name, for example {@code Tesla T4}
 * @param minor the number in {@code /dev/nvidia<minor>}; empty where there is no such file, as in WSL
 * @param memoryTotalBytes the card's whole memory in bytes; empty for one that shares the processor's memory
 * @param memoryReservedBytes what the driver keeps of it, which no program gets; empty before driver 510
 * @param ecc whether error correction is enabled
 * @param numaNode the host's NUMA node that is closest to the card
 * @param pciAddress as Linux writes it, {@code 0000:3b:00.0}
 * @param mig empty for a card without MIG
 */
public record CardFacts(
        int index,
        String uuid,
        Optional<String> model,
        OptionalInt minor,
        OptionalLong memoryTotalBytes,
        OptionalLong memoryReservedBytes,
        Optional<CudaCapability> compute,
        Optional<Boolean> ecc,
        OptionalInt numaNode,
        Optional<String> pciAddress,
        Optional<MigFacts> mig) {}
