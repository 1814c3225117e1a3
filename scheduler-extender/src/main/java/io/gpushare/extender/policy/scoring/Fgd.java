package io.gpushare.extender.policy.scoring;

import io.gpushare.extender.capacity.Candidate;
import io.gpushare.extender.capacity.ClusterCapacity;
import io.gpushare.extender.capacity.FreeCard;
import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.capacity.PodRequest;
import java.util.HashMap;
import java.util.Map;

/**
 * Fragmentation Gradient Descent, as published ("Beware of Fragmentation", USENIX ATC 2023): a pod goes where what is
 * free becomes useless to the typical pods by the least. Costs are whole numbers from -100 to 0, as the paper's are:
 * with them many nodes are equal, and the fixed order of the nodes then packs.
 */
public final class Fgd implements Scoring {
    private final TypicalPods typical;
    private final double cardUnits;

    public Fgd(DemandHistory seen, ClusterCapacity capacity) {
        this(seen.kinds(), capacity.cardUnits());
    }

    private Fgd(Map<PodRequest, Double> counts, double cardUnits) {
        typical = TypicalPods.of(counts);
        this.cardUnits = cardUnits;
    }

    /** Where a pod counts for as many as it asks units of cards, a whole card for so many as the mean one has. */
    public static Fgd byUnits(DemandHistory seen, ClusterCapacity capacity) {
        Map<PodRequest, Double> counts = new HashMap<>(seen.kinds());
        counts.replaceAll((pod, count) -> count * (pod.units() + pod.cards() * capacity.cardUnits()));
        counts.values().removeIf(weight -> weight == 0);
        return new Fgd(counts, capacity.cardUnits());
    }

    @Override
    public double cost(Candidate way) {
        return -Math.floor(100 / (1 + Math.exp(growth(way) / cardUnits)));
    }

    /** Units by which the idle ones that a typical pod can't use become more; below 0 where they become fewer. */
    double growth(Candidate way) {
        return fragments(way.after()) - fragments(way.node());
    }

    /** Idle units that a typical pod can't use: the mean over all of them. */
    private double fragments(FreeNode node) {
        if (node.idle() == 0) {
            return 0;
        }
        double sum = 0;
        for (TypicalPods.Kind each : typical.kinds()) {
            sum += each.part() * useless(node, each);
        }
        return sum;
    }

    private static long useless(FreeNode node, TypicalPods.Kind kind) {
        if (!kind.pod().gpu() || !kind.feeds(node)) {
            return node.idle();
        }
        long useless = 0;
        int fitting = 0;
        for (FreeCard card : node.cards()) {
            if (kind.suits(card)) {
                fitting++;
            } else {
                useless += card.free();
            }
        }
        return fitting >= kind.needs() ? useless : node.idle();
    }
}
