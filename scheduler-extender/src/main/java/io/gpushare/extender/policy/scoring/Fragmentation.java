package io.gpushare.extender.policy.scoring;

import io.gpushare.extender.capacity.FreeCard;
import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.capacity.PodRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Of what use free room is to the pods that usually come. The measure is the one that {@link Fgd} places by, for at most 32
 * kinds of pods, so that it is quickly told of a large cluster: of a card's free units the mean part that a usual pod can't
 * have, since the card has too little left, the node too little cpu, or too few such cards. As long as no pod came, all is
 * of use.
 */
public final class Fragmentation {
    private static final int KINDS = 32;

    private final TypicalPods typical;

    private Fragmentation(TypicalPods typical) {
        this.typical = typical;
    }

    /** @param counts how often pods of each kind came */
    public static Fragmentation of(Map<PodRequest, Double> counts) {
        return new Fragmentation(TypicalPods.of(counts, KINDS));
    }

    /**
     * What is free on one card, and of little use.
     *
     * @param useless the part of its free units, 0 to 1, that the mean usual pod can't have
     * @param wasted whether none of the usual pods can have any of it
     */
    public record Loss(FreeCard card, double useless, boolean wasted) {}

    /** What is lost of each card of the node on which something is free. */
    public List<Loss> losses(FreeNode node) {
        List<FreeCard> cards =
                node.cards().stream().filter(card -> card.free() > 0).toList();
        double[] useful = new double[cards.size()];
        for (TypicalPods.Kind kind : typical.kinds()) {
            if (!kind.feeds(node)) {
                continue;
            }
            long suitable = cards.stream().filter(kind::suits).count();
            for (int i = 0; i < useful.length && suitable >= kind.needs(); i++) {
                useful[i] += kind.suits(cards.get(i)) ? kind.part() : 0;
            }
        }
        List<Loss> losses = new ArrayList<>(useful.length);
        for (int i = 0; i < useful.length; i++) {
            losses.add(
                    typical.kinds().isEmpty()
                            ? new Loss(cards.get(i), 0, false)
                            : new Loss(cards.get(i), Math.max(0, 1 - useful[i]), useful[i] == 0));
        }
        return losses;
    }
}
