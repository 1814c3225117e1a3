package io.gpushare.extender.simulation.trace;

import io.gpushare.extender.capacity.ClusterCapacity;
import io.gpushare.extender.capacity.PodRequest;

/** Measures GPU work in per cent of all that the cluster's cards can do. */
public record GpuWork(double capacity, double cardUnits) {
    public static GpuWork of(ClusterCapacity capacity) {
        return new GpuWork(capacity.units(), capacity.cardUnits());
    }

    /** What a pod asks for; a whole card counts as the mean one. */
    public double percent(PodRequest pod) {
        return percent(pod.units() + pod.cards() * cardUnits);
    }

    public double percent(double units) {
        return 100 * units / capacity;
    }
}
