package io.gpushare.extender.policy.scoring;

import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.pod.PodRequest;
import io.gpushare.model.ledger.CardState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * How usable the free memory is for the pods seen so far. The measure is that of {@link Fgd}, for at most 32 kinds of
 * pods so that a large cluster is computed quickly: of a card's free units, the mean part that a typical pod can't use
 * because the card has too little left, the node too little CPU, or too few such cards. Before the first pod, all is
 * usable.
 */
public final class Fragmentation {
    private static final int MAX_KINDS = 32;

    private final TypicalPods typical;

    private Fragmentation(TypicalPods typical) {
        this.typical = typical;
    }

    /**
     * Derives the measure from the pods seen so far.
     *
     * @param counts the number of pods of each kind
     */
    public static Fragmentation of(Map<PodRequest, Double> counts) {
        return new Fragmentation(TypicalPods.of(counts, MAX_KINDS));
    }

    /**
     * Free memory of one card that typical pods can't use.
     *
     * @param unusable the part of its free units, 0 to 1, averaged over typical pods
     * @param wasted whether no typical pod can use any of it
     */
    public record Loss(CardState card, double unusable, boolean wasted) {}

    /** The loss on each card of the node that has free memory. */
    public List<Loss> losses(NodeEntry node) {
        List<CardState> cards = node.cards().open().cards().stream()
                .filter(card -> card.free().units() > 0)
                .toList();
        long cpu = node.free().cpuMilli();
        double[] usable = new double[cards.size()];
        for (TypicalPods.Kind kind : typical.kinds()) {
            if (!kind.fitsCpu(cpu)) {
                continue;
            }
            long fitting = cards.stream().filter(kind::fits).count();
            for (int i = 0; i < usable.length && fitting >= kind.cardCount(); i++) {
                usable[i] += kind.fits(cards.get(i)) ? kind.weight() : 0;
            }
        }
        List<Loss> losses = new ArrayList<>(usable.length);
        for (int i = 0; i < usable.length; i++) {
            losses.add(
                    typical.kinds().isEmpty()
                            ? new Loss(cards.get(i), 0, false)
                            : new Loss(cards.get(i), Math.max(0, 1 - usable[i]), usable[i] == 0));
        }
        return losses;
    }
}
