package io.gpushare.extender.simulation;

import io.gpushare.extender.placement.Capacity;
import io.gpushare.extender.placement.PodRequest;

/** Measures GPU work in per cent of all that the cluster's cards can do. */
record Work(double capacity, double cardUnits) {
    static Work of(Capacity capacity) {
        return new Work(capacity.units(), capacity.cardUnits());
    }

    /** What a pod asks for; a whole card counts as the mean one. */
    double percent(PodRequest pod) {
        return percent(pod.units() + pod.cards() * cardUnits);
    }

    double percent(double units) {
        return 100 * units / capacity;
    }
}
