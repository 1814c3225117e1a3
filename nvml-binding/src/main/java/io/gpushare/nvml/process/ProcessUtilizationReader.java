package io.gpushare.nvml.process;

import com.sun.jna.Pointer;
import com.sun.jna.Structure;
import com.sun.jna.ptr.IntByReference;
import io.gpushare.nvml.library.NvmlCalls;
import io.gpushare.nvml.library.NvmlCode;
import io.gpushare.nvml.library.NvmlException;
import io.gpushare.nvml.library.NvmlLibrary.nvmlProcessUtilizationSample_t;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IntSummaryStatistics;
import java.util.Map;
import java.util.Optional;

/**
 * Reads how much each process computed on a card. NVML omits idle processes, and returns "not found" if all are idle.
 */
public final class ProcessUtilizationReader {
    private static final String CALL = "nvmlDeviceGetProcessUtilization";
    private static final int FIRST_LENGTH = 128;
    private static final int TRIES = 3;

    private final NvmlCalls calls;
    private final Pointer device;

    public ProcessUtilizationReader(NvmlCalls calls, Pointer device) {
        this.calls = calls;
        this.device = device;
    }

    /** Mean percent by process ID of the samples after that time; empty where card or driver reports none. */
    public Optional<Map<Long, Integer>> since(Instant since) throws NvmlException {
        long microseconds = Math.max(0, ChronoUnit.MICROS.between(Instant.EPOCH, since));
        int length = FIRST_LENGTH;
        for (int tries = 0; tries < TRIES; tries++) {
            Structure[] samples = new nvmlProcessUtilizationSample_t().toArray(length);
            var count = new IntByReference(length);
            int code;
            try {
                code = calls.code(
                        CALL, nvml -> nvml.nvmlDeviceGetProcessUtilization(device, samples, count, microseconds));
            } catch (NvmlException.Unsupported e) {
                return Optional.empty();
            }
            if (code == NvmlCode.SUCCESS) {
                return Optional.of(means(samples, Math.min(length, count.getValue())));
            }
            if (code == NvmlCode.NOT_FOUND) {
                return Optional.of(Map.of());
            }
            if (code == NvmlCode.GPU_IS_LOST) {
                throw calls.failure(CALL, code);
            }
            if (code != NvmlCode.INSUFFICIENT_SIZE) {
                return Optional.empty();
            }
            length = Math.max(count.getValue(), length) * 2;
        }
        return Optional.empty();
    }

    private static Map<Long, Integer> means(Structure[] samples, int count) {
        Map<Long, IntSummaryStatistics> byProcess = new HashMap<>();
        Arrays.stream(samples, 0, count)
                .map(nvmlProcessUtilizationSample_t.class::cast)
                // Unfilled samples have no process. The driver reports unknown values as percentages above 100.
                .filter(sample -> sample.pid != 0 && sample.smUtil >= 0 && sample.smUtil <= 100)
                .forEach(sample -> byProcess
                        .computeIfAbsent(Integer.toUnsignedLong(sample.pid), _ -> new IntSummaryStatistics())
                        .accept(sample.smUtil));
        Map<Long, Integer> means = new HashMap<>();
        byProcess.forEach((pid, percents) -> means.put(pid, (int) Math.round(percents.getAverage())));
        return means;
    }
}
