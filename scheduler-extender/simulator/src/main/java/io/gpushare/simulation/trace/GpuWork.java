package io.gpushare.simulation.trace;

import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.policy.scoring.ClusterCapacity;

/** Converts units to per cent of the capacity of the cluster's cards. */
public record GpuWork(double capacity, double cardUnits) {
    public static GpuWork of(ClusterCapacity capacity) {
        return new GpuWork(capacity.units(), capacity.cardUnits());
    }

    /** What a pod requests; a whole card counts as the average one. */
    public double percent(PodRequest pod) {
        return percent(pod.units() + pod.cards() * cardUnits);
    }

    public double percent(double units) {
        return 100 * units / capacity;
    }
}
