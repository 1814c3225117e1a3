package io.gpushare.mps.machine;

/**
 * What the plugin wants of a card.
 *
 * @param on whether memory pods hold the card
 * @param roofMib the most memory that any of its clients may have
 */
public record Wish(boolean on, long roofMib) {
    /** No memory pod holds the card. */
    public static final Wish OFF = new Wish(false, 0);

    public Wish {
        if (on ? roofMib < 1 : roofMib != 0) {
            throw new IllegalArgumentException("a card with MPS has a roof, and one without has none: " + roofMib);
        }
    }
}
