package io.gpushare.extender.policy.scoring;

import io.gpushare.extender.capacity.Candidate;
import io.gpushare.extender.capacity.ClusterCapacity;
import io.gpushare.extender.capacity.FreeCard;

/**
 * Best fit and its opposite: how little, or how much, is left on the node in whole per cent of the largest node, CPU
 * and units with equal weight. On the node, the card with the least, or the most, free memory.
 */
public final class Fullness {
    private Fullness() {}

    public static Scoring bestFit(ClusterCapacity capacity) {
        return candidate -> left(candidate, capacity) + 0.5 * cardLeft(candidate);
    }

    public static Scoring spread(ClusterCapacity capacity) {
        return candidate -> -left(candidate, capacity) - 0.5 * cardLeft(candidate);
    }

    private static double left(Candidate candidate, ClusterCapacity capacity) {
        double cpu = (double) (candidate.node().cpuMilli() - candidate.pod().cpuMilli()) / capacity.nodeCpuMilli();
        double units = (double) (candidate.node().freeUnits() - candidate.units()) / capacity.nodeUnits();
        return Math.ceil(100 * (cpu + units) / 2);
    }

    /** The part of the shared card that stays free, from 0 to 1. */
    private static double cardLeft(Candidate candidate) {
        FreeCard shared = candidate.shared();
        return shared == null
                ? 0
                : (double) (shared.units() - candidate.pod().units())
                        / shared.kind().units();
    }
}
