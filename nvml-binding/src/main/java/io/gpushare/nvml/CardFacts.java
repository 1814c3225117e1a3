package io.gpushare.nvml;

import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What does not change of a card while the driver runs; empty is what card or driver does not, or can not, tell.
 *
 * @param index the card's place in NVML's order, which may change with a restart
 * @param uuid NVML's UUID, {@code GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}: the card's identity
 * @param model the product's name, {@code Tesla T4} for example
 * @param minor the number in {@code /dev/nvidia<minor>}
 * @param pciBusId the PCI address as NVML writes it, {@code 00000000:3B:00.0} for example
 * @param memoryTotalBytes the card's whole memory in bytes
 * @param ecc whether error correction is on now
 * @param numaNode the NUMA node of the host that is nearest to the card
 * @param mig whether the card is cut into MIG instances now; empty for a card that can't be
 */
public record CardFacts(
        int index,
        String uuid,
        String model,
        int minor,
        String pciBusId,
        long memoryTotalBytes,
        Optional<CudaCapability> compute,
        Optional<Boolean> ecc,
        OptionalInt numaNode,
        Optional<Boolean> mig) {
    public CardFacts {
        Objects.requireNonNull(uuid);
        Objects.requireNonNull(model);
        Objects.requireNonNull(pciBusId);
        Objects.requireNonNull(compute);
        Objects.requireNonNull(ecc);
        Objects.requireNonNull(numaNode);
        Objects.requireNonNull(mig);
        if (memoryTotalBytes <= 0) {
            throw new IllegalArgumentException(
                    "card " + uuid + " can't have a memory of " + memoryTotalBytes + " bytes");
        }
    }
}
