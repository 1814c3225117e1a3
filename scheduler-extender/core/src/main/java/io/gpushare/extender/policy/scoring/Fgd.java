package io.gpushare.extender.policy.scoring;

import io.gpushare.extender.pod.PodRequest;
import io.gpushare.model.ledger.CardState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Fragmentation Gradient Descent, as published ("Beware of Fragmentation", USENIX ATC 2023): a pod is placed where it
 * makes the least free memory unusable for typical pods. Costs are whole numbers from -100 to 0, as in the paper: many
 * nodes are equal, and the fixed order of the nodes then packs.
 */
public final class Fgd implements Scoring {
    private final TypicalPods typical;
    private final double cardUnits;

    public Fgd(DemandHistory history, ClusterCapacity capacity) {
        this(history.kinds(), capacity.cardUnits());
    }

    private Fgd(Map<PodRequest, Double> counts, double cardUnits) {
        typical = TypicalPods.of(counts);
        this.cardUnits = cardUnits;
    }

    /**
     * A variant in which a pod has the weight of the units that it requests. A whole card counts as the average one.
     */
    public static Fgd byUnits(DemandHistory history, ClusterCapacity capacity) {
        Map<PodRequest, Double> counts = new HashMap<>(history.kinds());
        counts.replaceAll((pod, count) -> count * (pod.units() + pod.cards() * capacity.cardUnits()));
        counts.values().removeIf(weight -> weight == 0);
        return new Fgd(counts, capacity.cardUnits());
    }

    @Override
    public double cost(CardChoice choice) {
        return -Math.floor(100 / (1 + Math.exp(growth(choice) / cardUnits)));
    }

    /** By how many units the free memory that a typical pod can't use grows; negative if it shrinks. */
    double growth(CardChoice choice) {
        long cpu = choice.node().free().cpuMilli();
        return fragments(choice.cardsAfter(), cpu - choice.pod().cpuMilli())
                - fragments(choice.node().cards().open().cards(), cpu);
    }

    /** Free units that a typical pod can't use: the weighted mean over all of them. */
    private double fragments(List<CardState> cards, long cpuMilli) {
        long free = cards.stream().mapToLong(card -> card.free().units()).sum();
        if (free == 0) {
            return 0;
        }
        double sum = 0;
        for (TypicalPods.Kind each : typical.kinds()) {
            sum += each.weight() * unusable(cards, cpuMilli, free, each);
        }
        return sum;
    }

    private static long unusable(List<CardState> cards, long cpuMilli, long free, TypicalPods.Kind kind) {
        if (!kind.pod().gpu() || !kind.fitsCpu(cpuMilli)) {
            return free;
        }
        long unusable = 0;
        int fitting = 0;
        for (CardState card : cards) {
            if (kind.fits(card)) {
                fitting++;
            } else {
                unusable += card.free().units();
            }
        }
        return fitting >= kind.cardCount() ? unusable : free;
    }
}
