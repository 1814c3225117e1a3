package io.gpushare.plugin.usage;

import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The measured usage of one card; a value that the card or the driver does not report is empty.
 *
 * @param usedBytes memory that all processes use together
 * @param utilisation the fraction of time in which the card computes, 0 to 1
 * @param processes the processes that compute on the card; empty if the driver does not list them
 */
public record CardUsage(
        long usedBytes,
        OptionalDouble utilisation,
        OptionalDouble celsius,
        OptionalDouble watts,
        OptionalLong correctedErrors,
        OptionalLong uncorrectedErrors,
        Optional<List<GpuProcess>> processes) {
    public CardUsage {
        processes = processes.map(List::copyOf);
    }

    /** The same without these processes. */
    public CardUsage without(Set<Long> pids) {
        return new CardUsage(
                usedBytes,
                utilisation,
                celsius,
                watts,
                correctedErrors,
                uncorrectedErrors,
                processes.map(all -> all.stream()
                        .filter(process -> !pids.contains(process.pid()))
                        .toList()));
    }

    /** A process on a card: its memory, and the percentage of time in which it computes. */
    public record GpuProcess(long pid, OptionalLong bytes, OptionalInt percent) {}
}
