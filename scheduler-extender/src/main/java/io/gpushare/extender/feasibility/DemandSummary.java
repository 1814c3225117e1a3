package io.gpushare.extender.feasibility;

import io.gpushare.model.Demand;
import io.gpushare.model.ledger.Refusal;
import io.gpushare.model.selector.CardSelector;
import java.util.Objects;

/**
 * A demand in the numbers that decide whether a node can take it, summed once for all nodes.
 *
 * @param units memory units on each of the cards over which the memory is split
 * @param split how many cards these are; 0 without memory
 * @param cards whole cards, beside those
 * @param selector which cards will do
 */
public record DemandSummary(int units, int split, int cards, CardSelector selector) {
    public DemandSummary {
        Objects.requireNonNull(selector);
        if (units < 0 || cards < 0 || (units == 0 && cards == 0) || (units == 0) != (split == 0)) {
            throw new IllegalArgumentException("a demand asks for memory units or whole cards");
        }
    }

    /** Units on one card, and whole cards, of any kind. */
    public DemandSummary(int units, int cards) {
        this(units, units == 0 ? 0 : 1, cards, CardSelector.ANY);
    }

    public static DemandSummary of(Demand demand) {
        int units = demand.shareOfEachCard().units();
        return new DemandSummary(
                units, units == 0 ? 0 : demand.split(), demand.total().wholeCards(), demand.selector());
    }

    /** Whether any card will do, and it is either units on one of them or whole ones: most demands are. */
    public boolean plain() {
        return (split == 0 || (split == 1 && cards == 0)) && selector.any();
    }

    /** Whether a {@link #plain} one is for memory of a card; else it is for whole ones. */
    public boolean shares() {
        return split > 0;
    }

    /** Units on one card, or whole cards: what a {@link #plain} one is for. */
    public int needed() {
        return shares() ? units : cards;
    }

    /**
     * Whether a {@link #plain} one has room.
     *
     * @param most units that are free on one card of the node
     * @param unused its cards that nobody uses
     */
    public boolean fits(int most, int unused) {
        return needed() <= (shares() ? most : unused);
    }

    /** What a {@link #plain} one lacks on a node with so many cards, where it doesn't fit. */
    public Refusal lack(int present) {
        if (shares()) {
            return Refusal.NO_CARD_WITH_MEMORY;
        }
        return cards > 1 && cards > present ? Refusal.TOO_FEW_CARDS : Refusal.NO_FREE_CARDS;
    }
}
