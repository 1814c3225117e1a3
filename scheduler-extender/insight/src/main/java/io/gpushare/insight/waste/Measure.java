package io.gpushare.insight.waste;

import org.jspecify.annotations.Nullable;

/**
 * How a measured figure is written.
 *
 * @param metric the name of the device plugin's metric
 * @param factor of the figure to a sample of the metric
 * @param most the largest figure that is possible
 * @param key the field in JSON
 * @param heading of its column in tables; empty for none
 * @param symbol what follows the number in tables; null for bytes
 */
public record Measure(
        String metric,
        int factor,
        long most,
        String key,
        String heading,
        @Nullable String symbol) {
    /** More bytes, or seconds, than there are. */
    public static final long MOST = (1L << 50) - 1;

    /** The figure, by a sample of the metric. */
    public long of(double sample) {
        return Math.round(factor * sample);
    }

    /** The largest sample that is possible. */
    public long mostSample() {
        return most / factor;
    }
}
