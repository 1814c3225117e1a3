package io.gpushare.insight.waste;

import org.jspecify.annotations.Nullable;

/** What is measured of a card: the metric of its device plugin, and what users see of it. */
public enum CardFigure {
    USED_BYTES("gpushare_card_memory_used_bytes", 1, (1L << 50) - 1, "usedBytes", "USED", null),
    UTILIZATION("gpushare_card_utilisation_ratio", 100, 100, "utilizationPercent", "UTIL", "%"),
    TEMPERATURE("gpushare_card_temperature_celsius", 1, 200, "temperatureCelsius", "TEMP", "C"),
    POWER("gpushare_card_power_watts", 1, 10_000, "powerWatts", "POWER", "W");

    private final String metric;
    private final int factor;
    private final long most;
    private final String key;
    private final String heading;
    private final @Nullable String symbol;

    CardFigure(String metric, int factor, long most, String key, String heading, @Nullable String symbol) {
        this.metric = metric;
        this.factor = factor;
        this.most = most;
        this.key = key;
        this.heading = heading;
        this.symbol = symbol;
    }

    /** The name of the metric. */
    public String metric() {
        return metric;
    }

    /** The figure, by a sample of the metric. */
    public long of(double sample) {
        return Math.round(factor * sample);
    }

    /** The largest sample that a card can have. */
    public long most() {
        return most / factor;
    }

    /** The field in JSON. */
    String key() {
        return key;
    }

    public String heading() {
        return heading;
    }

    /** What follows the number; null for bytes. */
    public @Nullable String symbol() {
        return symbol;
    }
}
