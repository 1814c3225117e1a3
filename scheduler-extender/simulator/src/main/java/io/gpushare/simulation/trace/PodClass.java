package io.gpushare.simulation.trace;

import io.gpushare.extender.pod.PodRequest;

/** Pods whose users wait for different reasons. */
public enum PodClass {
    SMALL_SHARE("small share"),
    LARGE_SHARE("large share"),
    WHOLE_CARDS("whole cards"),
    EIGHT_CARDS("8 cards"),
    INSTANCE("MIG instance"),
    NO_GPU("no GPU");

    private static final int GANG = 8;

    private final String words;

    PodClass(String words) {
        this.words = words;
    }

    /** The class of a pod; a share is small up to a quarter of the average card. */
    public static PodClass of(PodRequest pod, double cardUnits) {
        if (pod.share().instances() > 0) {
            return INSTANCE;
        }
        if (pod.cards() > 0) {
            return pod.cards() < GANG ? WHOLE_CARDS : EIGHT_CARDS;
        }
        return !pod.gpu() ? NO_GPU : 4 * pod.units() <= cardUnits ? SMALL_SHARE : LARGE_SHARE;
    }

    /** The name in JSON. */
    public String key() {
        return switch (this) {
            case SMALL_SHARE -> "smallShare";
            case LARGE_SHARE -> "largeShare";
            case WHOLE_CARDS -> "wholeCards";
            case EIGHT_CARDS -> "eightCards";
            case INSTANCE -> "migInstance";
            case NO_GPU -> "noGpu";
        };
    }

    @Override
    public String toString() {
        return words;
    }
}
