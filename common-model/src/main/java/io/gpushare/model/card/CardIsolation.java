package io.gpushare.model.card;

/**
 * What holds containers to their share of one card.
 *
 * @param inForce what does
 * @param missing why what the operator asked for is not in force, as a sentence; empty if nothing is missing
 * @param closed whether the card therefore offers no memory to new pods; it can still be taken whole
 */
public record CardIsolation(Isolation inForce, String missing, boolean closed) {
    /** Memory is counted, and nothing else was asked for. */
    public static final CardIsolation NONE = of(Isolation.NONE);

    public CardIsolation {
        if (missing.isEmpty() ? closed : inForce != Isolation.NONE) {
            throw new IllegalArgumentException("a card with " + inForce + " lacks nothing, and a closed one something");
        }
    }

    /** A card on which that is in force. */
    public static CardIsolation of(Isolation inForce) {
        return new CardIsolation(inForce, "", false);
    }

    /** A card whose memory is counted although more was asked for. */
    public static CardIsolation counted(String missing) {
        return new CardIsolation(Isolation.NONE, missing, false);
    }

    /** A card that offers no memory because it can't be shared as was asked for. */
    public static CardIsolation closed(String missing) {
        return new CardIsolation(Isolation.NONE, missing, true);
    }
}
