package io.gpushare.model.ledger;

import io.gpushare.model.card.Card;

/**
 * One card of the inventory and what is allocated on it.
 *
 * @param units the memory units that the card has
 * @param sharedUnits memory units held by memory pods; more than {@code units} only if the world outside broke the rules
 * @param wholePods pods that hold the card whole; more than one, or one beside shared units, likewise
 */
public record CardState(Card card, int units, int sharedUnits, int wholePods) {
    /** The same with so much more on it. Anybody may write absurd amounts into an annotation: they fill it, no more. */
    CardState with(int moreUnits, int moreWholePods) {
        return moreUnits == 0 && moreWholePods == 0
                ? this
                : new CardState(
                        card,
                        units,
                        (int) Math.min(Integer.MAX_VALUE, (long) sharedUnits + moreUnits),
                        wholePods + moreWholePods);
    }

    /** Memory units that a new pod may have here: none on an ill or cordoned card or one taken whole, and never below 0. */
    public int freeUnits() {
        return card.placeable() && wholePods == 0 ? Math.max(0, units - sharedUnits) : 0;
    }

    /** Whether a new pod may have the card whole. */
    public boolean free() {
        return card.placeable() && unused();
    }

    /** Whether nothing is allocated here, be the card well, ill or cordoned. */
    public boolean unused() {
        return wholePods == 0 && sharedUnits == 0;
    }

    /** Whether more is allocated than the card has, or memory and the whole card at once. */
    public boolean overused() {
        return sharedUnits > units || wholePods > 1 || (wholePods == 1 && sharedUnits > 0);
    }

    /** Memory units that are gone from the free ones: all of them when the card is taken whole. */
    public int usedUnits() {
        return wholePods > 0 ? units : sharedUnits;
    }
}
