package io.gpushare.simulation.planning;

import io.gpushare.extender.pod.PodRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.ToIntFunction;

/** An order in which pods are placed. */
public enum PodOrder {
    LISTED("in the order of the list"),
    LARGEST_FIRST("largest pods first"),
    SMALLEST_FIRST("smallest pods first"),
    SELECTIVE_FIRST("first the pods that the fewest nodes can take"),
    SHUFFLED("in a shuffled order");

    private static final Comparator<PodRequest> LARGEST = Comparator.comparingInt(PodRequest::cards)
            .thenComparingInt(pod -> pod.share().part())
            .thenComparingInt(PodRequest::units)
            .thenComparingLong(PodRequest::cpuMilli)
            .thenComparingLong(PodRequest::memoryMib)
            .reversed();

    private final String words;

    PodOrder(String words) {
        this.words = words;
    }

    /**
     * The pods in this order.
     *
     * @param takers how many nodes can take a pod
     */
    List<PodRequest> of(List<PodRequest> pods, ToIntFunction<PodRequest> takers, Random random) {
        List<PodRequest> ordered = new ArrayList<>(pods);
        switch (this) {
            case LISTED -> {}
            case LARGEST_FIRST -> ordered.sort(LARGEST);
            case SMALLEST_FIRST -> ordered.sort(LARGEST.reversed());
            case SELECTIVE_FIRST -> ordered.sort(Comparator.comparingInt(takers).thenComparing(LARGEST));
            case SHUFFLED -> Collections.shuffle(ordered, random);
        }
        return ordered;
    }

    /** The name in JSON. */
    public String key() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The order in words. */
    @Override
    public String toString() {
        return words;
    }
}
