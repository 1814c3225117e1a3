package io.gpushare.insight.waste;

import org.jspecify.annotations.Nullable;

/** What is measured of a card: the metric of its device plugin, and what users see of it. */
public enum CardFigure {
    USED_BYTES("gpushare_card_memory_used_bytes", 1, Measure.MOST, "usedBytes", "USED", null),
    UTILIZATION("gpushare_card_utilisation_ratio", 100, 100, "utilizationPercent", "UTIL", "%"),
    TEMPERATURE("gpushare_card_temperature_celsius", 1, 200, "temperatureCelsius", "TEMP", "C"),
    POWER("gpushare_card_power_watts", 1, 10_000, "powerWatts", "POWER", "W");

    @SuppressWarnings("ImmutableEnumChecker") // a record of texts and numbers
    private final Measure measure;

    CardFigure(String metric, int factor, long most, String key, String heading, @Nullable String symbol) {
        measure = new Measure(metric, factor, most, key, heading, symbol);
    }

    public Measure measure() {
        return measure;
    }
}
