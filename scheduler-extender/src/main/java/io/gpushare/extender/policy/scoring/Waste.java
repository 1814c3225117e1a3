package io.gpushare.extender.policy.scoring;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How much of a card's free room would still be unused after some more pods, drawn from those that were seen, came to
 * this card: each takes its share if that is left, else nothing. Computed for every free amount at once.
 */
final class Waste {
    /** Pods that come. More would look further ahead than a cluster with pods that also leave allows. */
    static final int DEPTH = 10;
    // A card of more units is looked at in so many steps.
    private static final int STEPS = 1024;

    private final int units;
    private final double[] waste;

    private record Share(int steps, double part) {}

    Waste(DemandHistory seen, int units) {
        this.units = units;
        waste = table(shares(seen, units, Math.min(units, STEPS)), Math.min(units, STEPS));
    }

    private static List<Share> shares(DemandHistory seen, int units, int steps) {
        Map<Integer, Double> counts = new HashMap<>();
        double total = seen.singles();
        counts.put(steps, seen.singles());
        for (Map.Entry<Integer, Double> each : seen.shares().entrySet()) {
            // What the card can't hold at all is left to larger ones.
            if (each.getKey() <= units) {
                counts.merge(
                        Math.toIntExact(Math.ceilDiv((long) each.getKey() * steps, (long) units)),
                        each.getValue(),
                        Double::sum);
                total += each.getValue();
            }
        }
        List<Share> shares = new ArrayList<>();
        for (Map.Entry<Integer, Double> each : counts.entrySet()) {
            if (each.getValue() > 0) {
                shares.add(new Share(each.getKey(), each.getValue() / total));
            }
        }
        return shares;
    }

    private static double[] table(List<Share> shares, int steps) {
        double[] waste = new double[steps + 1];
        for (int free = 0; free <= steps; free++) {
            waste[free] = free;
        }
        for (int pod = 0; pod < DEPTH && !shares.isEmpty(); pod++) {
            double[] next = new double[steps + 1];
            for (Share share : shares) {
                for (int free = 0; free <= steps; free++) {
                    next[free] += share.part * waste[free >= share.steps ? free - share.steps : free];
                }
            }
            waste = next;
        }
        return waste;
    }

    /** Units expected unused of that many free ones. */
    double of(int free) {
        int steps = waste.length - 1;
        return waste[Math.toIntExact((long) free * steps / units)] * units / steps;
    }
}
