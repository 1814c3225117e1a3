package io.gpushare.nvml;

import io.gpushare.nvml.process.CardProcess;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The utilization of a card at one moment; empty where card or driver does not report a value.
 *
 * @param memoryUsedBytes memory in use by all processes
 * @param memoryTotalBytes the card's total memory
 * @param gpuUtilization percent of the last sample period in which the card computed
 * @param memoryUtilization percent of the last sample period in which the card's memory was read or written
 * @param temperatureCelsius temperature of the chip
 * @param powerMilliwatts power draw of the board
 * @param eccErrors memory errors since the driver was loaded
 * @param processes the compute processes; also empty where {@code processesKnown} is false
 * @param processesKnown whether the driver reports processes
 */
public record CardUtilization(
        long memoryUsedBytes,
        long memoryTotalBytes,
        OptionalInt gpuUtilization,
        OptionalInt memoryUtilization,
        OptionalInt temperatureCelsius,
        OptionalInt powerMilliwatts,
        Optional<EccErrors> eccErrors,
        List<CardProcess> processes,
        boolean processesKnown) {
    /** Memory errors of a card since its driver was loaded. */
    public record EccErrors(long corrected, long uncorrected) {}

    public CardUtilization {
        Objects.requireNonNull(gpuUtilization);
        Objects.requireNonNull(memoryUtilization);
        Objects.requireNonNull(temperatureCelsius);
        Objects.requireNonNull(powerMilliwatts);
        Objects.requireNonNull(eccErrors);
        processes = List.copyOf(processes);
    }
}
