package io.gpushare.extender.policy.scoring;

import io.gpushare.model.ledger.CardState;
import org.jspecify.annotations.Nullable;

/**
 * Best fit and its opposite: how little, or how much, is left on the node in whole per cent of the largest node, CPU
 * and units with equal weight. On the node, the card with the least, or the most, free memory.
 */
public final class Fullness {
    private Fullness() {}

    public static Scoring bestFit(ClusterCapacity capacity) {
        return choice -> left(choice, capacity) + 0.5 * cardLeft(choice);
    }

    public static Scoring spread(ClusterCapacity capacity) {
        return choice -> -left(choice, capacity) - 0.5 * cardLeft(choice);
    }

    private static double left(CardChoice choice, ClusterCapacity capacity) {
        double cpu = (double) (choice.node().free().cpuMilli() - choice.pod().cpuMilli()) / capacity.nodeCpuMilli();
        double units = (double) (choice.node().cards().open().freeUnits() - choice.units()) / capacity.nodeUnits();
        return Math.ceil(100 * (cpu + units) / 2);
    }

    /** The part of the shared card that stays free, from 0 to 1. */
    private static double cardLeft(CardChoice choice) {
        @Nullable CardState shared = choice.shared();
        return shared == null
                ? 0
                : (double) (shared.free().units() - choice.pod().units())
                        / shared.kind().units();
    }
}
