package io.gpushare.nvml.process;

import com.sun.jna.Pointer;
import com.sun.jna.Structure;
import com.sun.jna.ptr.IntByReference;
import io.gpushare.nvml.library.NvmlCalls;
import io.gpushare.nvml.library.NvmlCode;
import io.gpushare.nvml.library.NvmlException;
import io.gpushare.nvml.library.NvmlLibrary;
import io.gpushare.nvml.library.NvmlLibrary.nvmlProcessInfo_v1_t;
import io.gpushare.nvml.library.NvmlLibrary.nvmlProcessInfo_v2_t;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Reads the compute processes of a card, with the newest of NVML's three calls that can be used with the driver. */
public final class ProcessReader {
    private static final int FIRST_LENGTH = 64;

    /** How often the number of processes may outgrow the array while they are read. */
    private static final int TRIES = 5;

    private final NvmlCalls calls;
    private final Pointer device;

    public ProcessReader(NvmlCalls calls, Pointer device) {
        this.calls = calls;
        this.device = device;
    }

    /**
     * The processes; empty where the driver does not report them.
     *
     * @param utilization percent by process ID, where the driver reports it
     */
    public Optional<List<CardProcess>> processes(Optional<Map<Long, Integer>> utilization) throws NvmlException {
        return processes()
                .map(all -> all.stream()
                        .map(process -> utilization
                                .map(percents -> withUtilization(process, percents))
                                .orElse(process))
                        .toList());
    }

    /** Without a sample it did not compute; of a client of MPS that is unknown, since its server has the samples. */
    private static CardProcess withUtilization(CardProcess process, Map<Long, Integer> percents) {
        @Nullable Integer sampled = percents.get(process.pid());
        boolean unknown = sampled == null && process.mps().orElse(false);
        return process.withUtilization(unknown ? OptionalInt.empty() : OptionalInt.of(sampled == null ? 0 : sampled));
    }

    private Optional<List<CardProcess>> processes() throws NvmlException {
        // Without a known version of the driver, _v3 might write beyond the array.
        Optional<DriverVersion> driver = DriverVersion.read(calls);
        boolean newest = driver.isPresent() && !driver.get().hasLongerProcessEntries();
        for (Version version : newest ? List.of(Version.V3, Version.V2, Version.V1) : List.of(Version.V2, Version.V1)) {
            Optional<List<CardProcess>> processes = readIfSupported(version);
            if (processes.isPresent()) {
                Optional<List<CardProcess>> clients = newest ? readIfSupported(Version.MPS) : Optional.empty();
                return Optional.of(
                        clients.map(of -> withClients(processes.get(), of)).orElse(processes.get()));
            }
        }
        return Optional.empty();
    }

    /** A client of MPS is in both lists, as seen on an H200 with driver 580; each process counts once. */
    private static List<CardProcess> withClients(List<CardProcess> processes, List<CardProcess> clients) {
        Map<Long, CardProcess> all = new LinkedHashMap<>();
        processes.forEach(process -> all.put(process.pid(), known(process, false)));
        clients.forEach(client -> all.put(client.pid(), known(client, true)));
        return List.copyOf(all.values());
    }

    private static CardProcess known(CardProcess process, boolean mps) {
        return new CardProcess(process.pid(), process.memoryUsedBytes(), process.gpuUtilization(), Optional.of(mps));
    }

    private Optional<List<CardProcess>> readIfSupported(Version version) throws NvmlException {
        try {
            return Optional.of(read(version));
        } catch (NvmlException.Unsupported | NvmlException.Failed | NvmlException.DriverMissing e) {
            return Optional.empty();
        }
    }

    private List<CardProcess> read(Version version) throws NvmlException {
        int length = FIRST_LENGTH;
        for (int tries = 0; tries < TRIES; tries++) {
            Structure[] infos = version.array(length);
            var count = new IntByReference(length);
            int code = calls.code(version.call, nvml -> version.invoke(nvml, device, count, infos));
            if (code == NvmlCode.SUCCESS) {
                return IntStream.range(0, count.getValue())
                        .mapToObj(i -> version.process(infos[i]))
                        .toList();
            }
            if (code != NvmlCode.INSUFFICIENT_SIZE) {
                throw calls.failure(version.call, code);
            }
            length = Math.max(count.getValue(), length) * 2;
        }
        throw calls.failure(version.call, NvmlCode.INSUFFICIENT_SIZE);
    }

    private static CardProcess process(int pid, long bytes) {
        return new CardProcess(
                Integer.toUnsignedLong(pid),
                bytes == NvmlLibrary.NVML_VALUE_NOT_AVAILABLE ? OptionalLong.empty() : OptionalLong.of(bytes),
                OptionalInt.empty());
    }

    /** The calls that list all processes, newest first, and the one that lists the clients of MPS. */
    private enum Version {
        V3("nvmlDeviceGetComputeRunningProcesses_v3") {
            @Override
            int invoke(NvmlLibrary nvml, Pointer device, IntByReference count, Structure[] infos) {
                return nvml.nvmlDeviceGetComputeRunningProcesses_v3(device, count, infos);
            }
        },
        V2("nvmlDeviceGetComputeRunningProcesses_v2") {
            @Override
            int invoke(NvmlLibrary nvml, Pointer device, IntByReference count, Structure[] infos) {
                return nvml.nvmlDeviceGetComputeRunningProcesses_v2(device, count, infos);
            }
        },
        V1("nvmlDeviceGetComputeRunningProcesses") {
            @Override
            int invoke(NvmlLibrary nvml, Pointer device, IntByReference count, Structure[] infos) {
                return nvml.nvmlDeviceGetComputeRunningProcesses(device, count, infos);
            }
        },
        MPS("nvmlDeviceGetMPSComputeRunningProcesses_v3") {
            @Override
            int invoke(NvmlLibrary nvml, Pointer device, IntByReference count, Structure[] infos) {
                return nvml.nvmlDeviceGetMPSComputeRunningProcesses_v3(device, count, infos);
            }
        };

        private final String call;

        Version(String call) {
            this.call = call;
        }

        abstract int invoke(NvmlLibrary nvml, Pointer device, IntByReference count, Structure[] infos);

        Structure[] array(int size) {
            return (this == V1 ? new nvmlProcessInfo_v1_t() : new nvmlProcessInfo_v2_t()).toArray(size);
        }

        CardProcess process(Structure info) {
            return info instanceof nvmlProcessInfo_v1_t old
                    ? ProcessReader.process(old.pid, old.usedGpuMemory)
                    : ProcessReader.process(
                            ((nvmlProcessInfo_v2_t) info).pid, ((nvmlProcessInfo_v2_t) info).usedGpuMemory);
        }
    }
}
