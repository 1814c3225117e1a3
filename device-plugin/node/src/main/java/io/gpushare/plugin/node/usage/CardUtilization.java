package io.gpushare.plugin.node.usage;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The utilization of a card at one moment; empty where card or driver does not report a value.
 *
 * @param memoryUsedBytes memory in use by all processes
 * @param gpuUtilization percent of the last sample period in which the card computed
 * @param temperatureCelsius temperature of the chip
 * @param powerMilliwatts power draw of the board
 * @param eccErrors memory errors since the driver was loaded
 * @param processes the compute processes
 */
public record CardUtilization(
        OptionalLong memoryUsedBytes,
        OptionalInt gpuUtilization,
        OptionalInt temperatureCelsius,
        OptionalInt powerMilliwatts,
        Optional<EccErrors> eccErrors,
        Optional<List<CardProcess>> processes) {
    /** Memory errors of a card since its driver was loaded. */
    public record EccErrors(long corrected, long uncorrected) {}

    public CardUtilization {
        processes = processes.map(List::copyOf);
    }

    /** The same without these processes. */
    public CardUtilization without(Set<Long> pids) {
        return new CardUtilization(
                memoryUsedBytes,
                gpuUtilization,
                temperatureCelsius,
                powerMilliwatts,
                eccErrors,
                processes.map(all -> all.stream()
                        .filter(process -> !pids.contains(process.pid()))
                        .toList()));
    }
}
