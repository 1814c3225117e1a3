package io.gpushare.nvml;

import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.LongByReference;
import io.gpushare.nvml.library.NvmlCalls;
import io.gpushare.nvml.library.NvmlException;
import io.gpushare.nvml.library.NvmlLibrary;
import io.gpushare.nvml.library.NvmlLibrary.nvmlMemory_t;
import io.gpushare.nvml.library.NvmlLibrary.nvmlMemory_v2_t;
import io.gpushare.nvml.library.NvmlLibrary.nvmlPciInfo_t;
import io.gpushare.nvml.library.NvmlLibrary.nvmlUtilization_t;
import io.gpushare.nvml.process.ProcessReader;
import io.gpushare.nvml.process.ProcessUtilizationReader;
import java.time.Instant;
import java.util.BitSet;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the facts and the utilization of the card, or MIG instance, behind a handle. */
final class CardReader {
    private static final Pattern BUS_ID = Pattern.compile("([0-9a-f]{1,8}):([0-9a-f]{2}:[0-9a-f]{2}\\.[0-7])");
    private static final int HEXADECIMAL = 16;

    private final NvmlCalls calls;
    private final Pointer device;
    private final Pointer board;

    CardReader(NvmlCalls calls, Pointer device) {
        this(calls, device, device);
    }

    /** @param board the handle of the card that the instance is a part of */
    CardReader(NvmlCalls calls, Pointer device, Pointer board) {
        this.calls = calls;
        this.device = device;
        this.board = board;
    }

    CardFacts facts(int index) throws NvmlException {
        Memory memory = memory();
        return new CardFacts(
                index,
                uuid(),
                name(),
                calls.numberIfSupported(
                        "nvmlDeviceGetMinorNumber", (nvml, minor) -> nvml.nvmlDeviceGetMinorNumber(device, minor)),
                memory.total(),
                memory.reserved(),
                compute(),
                enabled("nvmlDeviceGetEccMode", (nvml, now) -> nvml.nvmlDeviceGetEccMode(device, now, scratch())),
                numaNode(),
                pciBusId().flatMap(CardReader::pciAddress),
                new MigReader(calls, device).facts());
    }

    Optional<String> name() throws NvmlException {
        return calls.textIfSupported(
                "nvmlDeviceGetName",
                NvmlLibrary.NVML_DEVICE_NAME_BUFFER_SIZE,
                (nvml, text, length) -> nvml.nvmlDeviceGetName(device, text, length));
    }

    CardUtilization utilization(Instant since) throws NvmlException {
        return new CardUtilization(
                memory().used(),
                utilizationRate(),
                calls.numberIfSupported(
                        "nvmlDeviceGetTemperature",
                        (nvml, celsius) ->
                                nvml.nvmlDeviceGetTemperature(board, NvmlLibrary.NVML_TEMPERATURE_GPU, celsius)),
                calls.numberIfSupported(
                        "nvmlDeviceGetPowerUsage",
                        (nvml, milliwatts) -> nvml.nvmlDeviceGetPowerUsage(board, milliwatts)),
                eccErrors(),
                new ProcessReader(calls, device).processes(new ProcessUtilizationReader(calls, device).since(since)));
    }

    private Optional<CardUtilization.EccErrors> eccErrors() throws NvmlException {
        try {
            return Optional.of(new CardUtilization.EccErrors(
                    eccErrors(NvmlLibrary.NVML_MEMORY_ERROR_TYPE_CORRECTED),
                    eccErrors(NvmlLibrary.NVML_MEMORY_ERROR_TYPE_UNCORRECTED)));
        } catch (NvmlException.Unsupported | NvmlException.Failed | NvmlException.DriverMissing e) {
            return Optional.empty();
        }
    }

    private long eccErrors(int type) throws NvmlException {
        var count = new LongByReference();
        calls.require(
                "nvmlDeviceGetTotalEccErrors",
                nvml -> nvml.nvmlDeviceGetTotalEccErrors(board, type, NvmlLibrary.NVML_VOLATILE_ECC, count));
        return count.getValue();
    }

    String uuid() throws NvmlException {
        return calls.text(
                "nvmlDeviceGetUUID",
                NvmlLibrary.NVML_DEVICE_UUID_BUFFER_SIZE,
                (nvml, text, length) -> nvml.nvmlDeviceGetUUID(device, text, length));
    }

    /** The PCI address as NVML writes it, for example {@code 00000000:3B:00.0}. */
    Optional<String> pciBusId() throws NvmlException {
        var pci = new nvmlPciInfo_t();
        return calls.succeeds("nvmlDeviceGetPciInfo_v3", nvml -> nvml.nvmlDeviceGetPciInfo_v3(device, pci))
                ? Optional.of(NvmlCalls.text(pci.busId))
                : Optional.empty();
    }

    /** NVML writes the domain with eight digits, and Linux with four, or more if it needs them. */
    private static Optional<String> pciAddress(String busId) {
        Matcher parts = BUS_ID.matcher(busId.toLowerCase(Locale.ROOT));
        return parts.matches()
                ? Optional.of("%04x:%s".formatted(Long.parseLong(parts.group(1), HEXADECIMAL), parts.group(2)))
                : Optional.empty();
    }

    /** Bytes; empty where the driver does not report them. */
    record Memory(OptionalLong total, OptionalLong reserved, OptionalLong used) {
        static final Memory UNKNOWN = new Memory(OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty());
    }

    /**
     * The newer call does not count memory that the driver reserves as used. Drivers before 510 have only the older
     * one. Both fail for a card that shares the processor's memory.
     */
    Memory memory() throws NvmlException {
        var newer = new nvmlMemory_v2_t();
        if (calls.succeeds("nvmlDeviceGetMemoryInfo_v2", nvml -> nvml.nvmlDeviceGetMemoryInfo_v2(device, newer))) {
            return memory(newer.total, OptionalLong.of(newer.reserved), newer.used);
        }
        var older = new nvmlMemory_t();
        return calls.succeeds("nvmlDeviceGetMemoryInfo", nvml -> nvml.nvmlDeviceGetMemoryInfo(device, older))
                ? memory(older.total, OptionalLong.empty(), older.used)
                : Memory.UNKNOWN;
    }

    private static Memory memory(long total, OptionalLong reserved, long used) {
        return total > 0 ? new Memory(OptionalLong.of(total), reserved, OptionalLong.of(used)) : Memory.UNKNOWN;
    }

    private Optional<CudaCapability> compute() throws NvmlException {
        var minor = new IntByReference();
        OptionalInt major = calls.numberIfSupported(
                "nvmlDeviceGetCudaComputeCapability",
                (nvml, number) -> nvml.nvmlDeviceGetCudaComputeCapability(device, number, minor));
        return major.isPresent()
                ? Optional.of(new CudaCapability(major.getAsInt(), minor.getValue()))
                : Optional.empty();
    }

    private Optional<Boolean> enabled(String what, NvmlCalls.NumberCall call) throws NvmlException {
        OptionalInt mode = calls.numberIfSupported(what, call);
        return mode.isPresent() ? Optional.of(mode.getAsInt() == NvmlLibrary.NVML_FEATURE_ENABLED) : Optional.empty();
    }

    private static IntByReference scratch() {
        return new IntByReference();
    }

    /**
     * The closest NUMA node. nvmlDeviceGetNumaNodeId is only the fallback: it returns the node that the card's own
     * memory forms (on Grace Hopper, a node without processors), and nothing for other cards.
     */
    private OptionalInt numaNode() throws NvmlException {
        var nodes = new long[16];
        try {
            calls.require(
                    "nvmlDeviceGetMemoryAffinity",
                    nvml -> nvml.nvmlDeviceGetMemoryAffinity(
                            device, nodes.length, nodes, NvmlLibrary.NVML_AFFINITY_SCOPE_NODE));
        } catch (NvmlException.Unsupported | NvmlException.Failed | NvmlException.DriverMissing e) {
            return calls.numberIfSupported(
                    "nvmlDeviceGetNumaNodeId", (nvml, node) -> nvml.nvmlDeviceGetNumaNodeId(device, node));
        }
        return BitSet.valueOf(nodes).stream().findFirst();
    }

    private OptionalInt utilizationRate() throws NvmlException {
        var rates = new nvmlUtilization_t();
        return calls.succeeds(
                        "nvmlDeviceGetUtilizationRates", nvml -> nvml.nvmlDeviceGetUtilizationRates(device, rates))
                ? OptionalInt.of(rates.gpu)
                : OptionalInt.empty();
    }
}
