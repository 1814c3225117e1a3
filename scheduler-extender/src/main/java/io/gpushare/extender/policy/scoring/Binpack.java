package io.gpushare.extender.policy.scoring;

import io.gpushare.extender.capacity.Candidate;
import io.gpushare.extender.capacity.FreeCard;
import io.gpushare.extender.capacity.FreeNode;

/**
 * Fills what is begun before anything fresh is opened, on the card and on the node.
 *
 * <p>The cost is a whole number from -10 to 0 and says how full the pod would leave the node, where {@code full(n)} is
 * {@code n * (total - left) / total}, rounded down, over the node's well cards:
 *
 * <ul>
 *   <li>memory that goes to a card in use: {@code -5 - full(5)} of the units;
 *   <li>memory that opens a card that nobody uses: {@code -full(4)} of the units, so always more than the former;
 *   <li>whole cards: {@code -full(10)} of the cards, {@code left} being those on which nothing is allocated;
 *   <li>both: the higher of the two.
 * </ul>
 *
 * On the node the card with the least room.
 */
public final class Binpack implements Scoring {
    private static final int MOST = 10;

    @Override
    public double cost(Candidate way) {
        FreeNode node = way.node();
        double full = MOST;
        if (way.pod().cards() > 0) {
            long left = node.cards().stream().filter(FreeCard::whole).count()
                    - way.pod().cards();
            full = full(MOST, node.cards().size(), left);
        }
        FreeCard shared = way.shared();
        if (shared != null) {
            long left = node.idle() - way.pod().units();
            full = Math.min(full, shared.whole() ? full(4, node.units(), left) : 5 + full(5, node.units(), left));
            // Below the whole numbers: it decides on the node's cards, and between nodes that are equally full.
            full -= 0.5 * (shared.free() - way.pod().units()) / shared.kind().units();
        }
        return -full;
    }

    private static double full(int scale, long total, long left) {
        return Math.floorDiv(scale * (total - left), total);
    }
}
