package io.gpushare.extender.policy.scoring;

import io.gpushare.extender.capacity.Candidate;
import io.gpushare.extender.capacity.ClusterCapacity;
import io.gpushare.extender.capacity.FreeCard;

/**
 * Best fit, and its opposite: how little, or how much, is left on the node, cpu and units counting the same, in whole
 * per cent of the largest node's. On the node, the card with the least, or the most, room.
 */
public final class Fullness {
    private Fullness() {}

    public static Scoring bestFit(ClusterCapacity capacity) {
        return way -> left(way, capacity) + 0.5 * cardLeft(way);
    }

    public static Scoring spread(ClusterCapacity capacity) {
        return way -> -left(way, capacity) - 0.5 * cardLeft(way);
    }

    private static double left(Candidate way, ClusterCapacity capacity) {
        double cpu = (double) (way.node().cpuMilli() - way.pod().cpuMilli()) / capacity.nodeCpuMilli();
        double units = (double) (way.node().idle() - way.units()) / capacity.nodeUnits();
        return Math.ceil(100 * (cpu + units) / 2);
    }

    /** From 0 to 1: the part of the shared card that stays free. */
    private static double cardLeft(Candidate way) {
        FreeCard shared = way.shared();
        return shared == null
                ? 0
                : (double) (shared.free() - way.pod().units()) / shared.kind().units();
    }
}
