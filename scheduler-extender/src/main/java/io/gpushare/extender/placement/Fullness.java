package io.gpushare.extender.placement;

/**
 * Best fit, and its opposite: how little, or how much, is left on the node, cpu and units counting the same, in whole
 * per cent of the largest node's. On the node, the card with the least, or the most, room.
 */
final class Fullness {
    private Fullness() {}

    static Scoring bestFit(Capacity capacity) {
        return way -> left(way, capacity) + 0.5 * cardLeft(way);
    }

    static Scoring spread(Capacity capacity) {
        return way -> -left(way, capacity) - 0.5 * cardLeft(way);
    }

    private static double left(Way way, Capacity capacity) {
        double cpu = (double) (way.node().cpuMilli() - way.pod().cpuMilli()) / capacity.nodeCpuMilli();
        double units = (double) (way.node().idle() - way.units()) / capacity.nodeUnits();
        return Math.ceil(100 * (cpu + units) / 2);
    }

    /** From 0 to 1: the part of the shared card that stays free. */
    private static double cardLeft(Way way) {
        CardRoom shared = way.shared();
        return shared == null
                ? 0
                : (double) (shared.free() - way.pod().units()) / shared.kind().units();
    }
}
