package io.gpushare.extender.feasibility;

import io.gpushare.model.Demand;
import io.gpushare.model.card.Share;
import io.gpushare.model.ledger.Refusal;
import io.gpushare.model.selector.CardSelector;
import java.util.Objects;

/**
 * A demand in the numbers that decide whether a node can take it, computed once for all nodes.
 *
 * @param share what the pod needs of each card that it shares with others
 * @param sharedCards the number of these cards; 0 for a pod of whole cards only
 * @param wholeCards the number of whole cards, beside those
 * @param selector which cards the pod may have
 */
public record DemandSummary(Share share, int sharedCards, int wholeCards, CardSelector selector) {
    public DemandSummary {
        Objects.requireNonNull(selector);
        if (wholeCards < 0 || share.isNone() != (sharedCards == 0) || (sharedCards == 0 && wholeCards == 0)) {
            throw new IllegalArgumentException("a demand requests a share of cards or whole cards");
        }
    }

    /** Memory units on one card, and whole cards, of any kind. */
    public DemandSummary(int units, int wholeCards) {
        this(Share.memory(units), units == 0 ? 0 : 1, wholeCards, CardSelector.ANY);
    }

    public static DemandSummary of(Demand demand) {
        return new DemandSummary(
                demand.shareOfEachCard(), demand.sharedCards(), demand.total().wholeCards(), demand.selector());
    }

    /** The sum over all cards. */
    public Share total() {
        Share total = Share.whole(wholeCards);
        for (int i = 0; i < sharedCards; i++) {
            total = total.plus(share);
        }
        return total;
    }

    /**
     * Whether any card will do, and the pod needs either memory on one card or whole cards. Most demands are plain, and
     * one comparison per node decides on them.
     */
    public boolean plain() {
        return selector.any()
                && (sharedCards == 0 || (sharedCards == 1 && wholeCards == 0 && share.equals(Share.memory(units()))));
    }

    /** Memory units on each shared card. */
    public int units() {
        return share.units();
    }

    /** Whether the pod shares cards; if not, it needs whole cards only. */
    public boolean shares() {
        return sharedCards > 0;
    }

    /** What a {@link #plain} demand needs: memory units on one card, or whole cards. */
    public int needed() {
        return shares() ? units() : wholeCards;
    }

    /**
     * Whether a {@link #plain} demand fits.
     *
     * @param units the most free units on one card of the node
     * @param unused the number of its unused cards
     */
    public boolean fits(int units, int unused) {
        return needed() <= (shares() ? units : unused);
    }

    /**
     * Why a {@link #plain} demand that does not fit is refused.
     *
     * @param cards the number of the node's cards
     */
    public Refusal lack(int cards) {
        if (shares()) {
            return Refusal.NO_CARD_WITH_MEMORY;
        }
        return wholeCards > 1 && wholeCards > cards ? Refusal.TOO_FEW_CARDS : Refusal.NO_FREE_CARDS;
    }
}
