package io.gpushare.extender.policy.scoring;

import io.gpushare.model.ledger.CardState;
import io.gpushare.model.ledger.OpenCards;
import org.jspecify.annotations.Nullable;

/**
 * Fills cards and nodes in use before unused ones.
 *
 * <p>The cost is a whole number from -10 to 0 for how full the pod would leave the node, where {@code full(n)} is
 * {@code n * (total - left) / total}, rounded down, over the node's healthy cards:
 *
 * <ul>
 *   <li>memory on a card in use: {@code -5 - full(5)} of the units;
 *   <li>memory on an unused card: {@code -full(4)} of the units, so always more than the former;
 *   <li>whole cards: {@code -full(10)} of the cards, {@code left} being the unused ones;
 *   <li>both: the higher of the two.
 * </ul>
 *
 * On the node, the card with the least free memory.
 */
public final class Binpack implements Scoring {
    private static final int SCALE = 10;

    @Override
    public double cost(CardChoice choice) {
        OpenCards node = choice.node().cards().open();
        double full = SCALE;
        if (choice.pod().cards() > 0) {
            long left = node.cards().stream()
                            .filter(card -> card.free().wholeCards() > 0)
                            .count()
                    - choice.pod().cards();
            full = full(SCALE, node.cards().size(), left);
        }
        @Nullable CardState shared = choice.shared();
        if (shared != null) {
            int units = choice.pod().units();
            long left = node.freeUnits() - units;
            full = Math.min(full, shared.unused() ? full(4, node.units(), left) : 5 + full(5, node.units(), left));
            // Less than 1: it decides among the node's cards, and among nodes that are equally full.
            full -= 0.5 * (shared.free().units() - units) / shared.kind().units();
        }
        return -full;
    }

    private static double full(int scale, long total, long left) {
        return Math.floorDiv(scale * (total - left), total);
    }
}
