package io.gpushare.nvml;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a card does at this moment; empty is what card or driver does not, or can not, tell.
 *
 * @param memoryUsedBytes memory in use by anyone
 * @param memoryTotalBytes the card's whole memory
 * @param gpuUtilisation percent of the last sample period in which the card computed
 * @param memoryUtilisation percent of the last sample period in which the card's memory was read or written
 * @param temperatureCelsius of the chip
 * @param powerMilliwatts that the board draws
 * @param eccErrors memory errors since the driver was loaded
 * @param processes those that compute on the card; empty also where {@code processesKnown} is false
 * @param processesKnown whether the driver tells the processes at all
 */
public record CardUtilization(
        long memoryUsedBytes,
        long memoryTotalBytes,
        OptionalInt gpuUtilisation,
        OptionalInt memoryUtilisation,
        OptionalInt temperatureCelsius,
        OptionalInt powerMilliwatts,
        Optional<EccErrors> eccErrors,
        List<CardProcess> processes,
        boolean processesKnown) {
    public CardUtilization {
        Objects.requireNonNull(gpuUtilisation);
        Objects.requireNonNull(memoryUtilisation);
        Objects.requireNonNull(temperatureCelsius);
        Objects.requireNonNull(powerMilliwatts);
        Objects.requireNonNull(eccErrors);
        processes = List.copyOf(processes);
    }
}
