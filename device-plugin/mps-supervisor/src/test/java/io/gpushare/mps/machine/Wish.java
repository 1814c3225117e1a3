package io.gpushare.mps.machine;

/**
 * What the plugin wants of a card.
 *
 * @param on whether memory pods hold the card
 * @param processLimitMib the most memory that any of its clients may have
 */
record Wish(boolean on, long processLimitMib) {
    /** No memory pod holds the card. */
    static final Wish OFF = new Wish(false, 0);

    Wish {
        if (on ? processLimitMib < 1 : processLimitMib != 0) {
            throw new IllegalArgumentException(
                    "a card with MPS has a process limit, and one without has none: " + processLimitMib);
        }
    }
}
