package io.gpushare.extender.placement;

import io.gpushare.model.Demand;
import io.gpushare.model.ledger.CardOrder;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.ledger.Placement;

/**
 * Fills what is begun before anything fresh is opened, on the card and on the node.
 *
 * <p>The node's score, an integer from 0 to 10, says how full the demand would leave it, where {@code full(n)} is {@code n
 * * (total - left) / total}, rounded down, over the node's well cards:
 *
 * <ul>
 *   <li>memory that goes to a card in use: {@code 5 + full(5)} of the units;
 *   <li>memory that opens a card that nobody uses: {@code full(4)} of the units, so always less than the former;
 *   <li>whole cards: {@code full(10)} of the cards, {@code left} being those on which nothing is allocated;
 *   <li>both: the lower of the two.
 * </ul>
 */
public final class Binpack {
    /** The best score: kube-scheduler's MaxExtenderPriority. */
    public static final int MOST = 10;

    private Binpack() {}

    /** Cards for that demand on that node, or why none. */
    public static Placement place(NodeCards cards, Demand demand) {
        return cards.place(demand, CardOrder.BINPACK);
    }

    /** How well that node would take the demand: 0 if it can't at all, else 0 to {@link #MOST}. */
    public static int score(NodeSummary node, Ask ask) {
        if (node.refusal(ask).isPresent()) {
            return 0;
        }
        int score = MOST;
        if (ask.cards() > 0) {
            score = full(MOST, node.cards(), node.freeCards() - ask.cards());
        }
        if (ask.units() > 0) {
            long left = node.freeUnits() - ask.units();
            score = Math.min(
                    score, node.opensCard(ask) ? full(4, node.units(), left) : 5 + full(5, node.units(), left));
        }
        return score;
    }

    private static int full(int scale, long total, long left) {
        return Math.toIntExact(scale * (total - left) / total);
    }
}
