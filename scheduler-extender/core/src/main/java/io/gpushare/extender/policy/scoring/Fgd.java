package io.gpushare.extender.policy.scoring;

import io.gpushare.extender.capacity.Candidate;
import io.gpushare.extender.capacity.ClusterCapacity;
import io.gpushare.extender.capacity.FreeCard;
import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.capacity.PodRequest;
import java.util.HashMap;
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
    public double cost(Candidate candidate) {
        return -Math.floor(100 / (1 + Math.exp(growth(candidate) / cardUnits)));
    }

    /** By how many units the free memory that a typical pod can't use grows; negative if it shrinks. */
    double growth(Candidate candidate) {
        return fragments(candidate.after()) - fragments(candidate.node());
    }

    /** Free units that a typical pod can't use: the weighted mean over all of them. */
    private double fragments(FreeNode node) {
        if (node.freeUnits() == 0) {
            return 0;
        }
        double sum = 0;
        for (TypicalPods.Kind each : typical.kinds()) {
            sum += each.weight() * unusable(node, each);
        }
        return sum;
    }

    private static long unusable(FreeNode node, TypicalPods.Kind kind) {
        if (!kind.pod().gpu() || !kind.fitsCpu(node)) {
            return node.freeUnits();
        }
        long unusable = 0;
        int fitting = 0;
        for (FreeCard card : node.cards()) {
            if (kind.fits(card)) {
                fitting++;
            } else {
                unusable += card.units();
            }
        }
        return fitting >= kind.cardCount() ? unusable : node.freeUnits();
    }
}
