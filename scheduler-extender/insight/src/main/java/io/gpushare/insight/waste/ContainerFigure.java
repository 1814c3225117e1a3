package io.gpushare.insight.waste;

import org.jspecify.annotations.Nullable;

/**
 * What is measured of a container on a card: the metric of its device plugin, what its pod has of it, and what users
 * see.
 */
public enum ContainerFigure {
    USED_BYTES(OfPod.SUM, "gpushare_container_memory_used_bytes", 1, Measure.MOST, "usedBytes", "USED", null),
    /** Percent of the time in which it computes. */
    UTILIZATION(OfPod.SUM, "gpushare_container_utilisation_ratio", 100, 100, "utilizationPercent", "UTIL", "%"),
    /** For how long it has not computed. Tables have it in words. */
    IDLE_SECONDS(OfPod.LEAST, "gpushare_container_idle_seconds", 1, Measure.MOST, "idleSeconds", "", null);

    /** What a pod has of a figure of its containers. */
    private enum OfPod {
        /** No more than is possible. */
        SUM,
        LEAST
    }

    private final OfPod ofPod;

    @SuppressWarnings("ImmutableEnumChecker") // a record of texts and numbers
    private final Measure measure;

    ContainerFigure(
            OfPod ofPod, String metric, int factor, long most, String key, String heading, @Nullable String symbol) {
        this.ofPod = ofPod;
        measure = new Measure(metric, factor, most, key, heading, symbol);
    }

    public Measure measure() {
        return measure;
    }

    /** The figure, by a sample of the metric: the least that it may be, where the least counts. */
    public long of(double sample) {
        return switch (ofPod) {
            case SUM -> measure.of(sample);
            case LEAST -> (long) sample;
        };
    }

    /** That of a pod with two containers. */
    long together(long one, long other) {
        return switch (ofPod) {
            case SUM -> Math.min(measure.most(), one + other);
            case LEAST -> Math.min(one, other);
        };
    }

    /** That of a container of which there are two samples: the larger use. */
    public long either(long one, long other) {
        return switch (ofPod) {
            case SUM -> Math.max(one, other);
            case LEAST -> Math.min(one, other);
        };
    }
}
