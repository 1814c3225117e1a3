package io.gpushare.extender.policy.scoring;

import io.gpushare.model.card.CardKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How much of a card's free memory stays unused after some more pods, drawn from the history, arrive at this card: each
 * takes its share if that is free, otherwise nothing. Computed for every free amount at once.
 */
final class Waste {
    // A card with more units is divided into this many steps.
    private static final int STEPS = 1024;

    private final int units;
    private final double[] waste;

    private record Arrival(int steps, double part) {}

    /** @param depth the number of pods that arrive */
    Waste(DemandHistory history, CardKind kind, int depth) {
        this.units = kind.units();
        int steps = Math.min(units, STEPS);
        waste = table(shares(history, kind, steps), steps, depth);
    }

    private static List<Arrival> shares(DemandHistory history, CardKind kind, int steps) {
        Map<Integer, Double> counts = new HashMap<>();
        int units = kind.units();
        double total = history.singles(kind);
        counts.put(steps, total);
        for (Map.Entry<Integer, Double> each : history.shares().entrySet()) {
            // A share that does not fit the card at all goes to larger ones.
            if (each.getKey() <= units) {
                counts.merge(
                        Math.toIntExact(Math.ceilDiv((long) each.getKey() * steps, (long) units)),
                        each.getValue(),
                        Double::sum);
                total += each.getValue();
            }
        }
        List<Arrival> shares = new ArrayList<>();
        for (Map.Entry<Integer, Double> each : counts.entrySet()) {
            if (each.getValue() > 0) {
                shares.add(new Arrival(each.getKey(), each.getValue() / total));
            }
        }
        return shares;
    }

    private static double[] table(List<Arrival> shares, int steps, int depth) {
        double[] waste = new double[steps + 1];
        for (int free = 0; free <= steps; free++) {
            waste[free] = free;
        }
        for (int pod = 0; pod < depth && !shares.isEmpty(); pod++) {
            double[] next = new double[steps + 1];
            for (Arrival share : shares) {
                for (int free = 0; free <= steps; free++) {
                    next[free] += share.part * waste[free >= share.steps ? free - share.steps : free];
                }
            }
            waste = next;
        }
        return waste;
    }

    /** The expected number of unused units, of that many free ones. */
    double of(int free) {
        int steps = waste.length - 1;
        return waste[Math.toIntExact((long) free * steps / units)] * units / steps;
    }
}
