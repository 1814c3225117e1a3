package io.gpushare.plugin.usage;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * What one card does; empty is what card or driver does not tell.
 *
 * @param usedBytes memory in use by anyone
 * @param utilisation part of the time in which the card computed, 0 to 1
 * @param processes those that compute on the card; empty where the driver does not tell them
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
        Objects.requireNonNull(utilisation);
        Objects.requireNonNull(celsius);
        Objects.requireNonNull(watts);
        Objects.requireNonNull(correctedErrors);
        Objects.requireNonNull(uncorrectedErrors);
        processes = processes.map(List::copyOf);
    }

    /** A process on a card: its memory, and the percent of the card's time in which it computed. */
    public record GpuProcess(long pid, OptionalLong bytes, OptionalInt percent) {
        public GpuProcess {
            Objects.requireNonNull(bytes);
            Objects.requireNonNull(percent);
        }
    }
}
