package io.gpushare.mps.link;

import java.util.List;

/**
 * What the plugin wants of MPS on one card.
 *
 * @param sequence larger with each change
 * @param processLimitMib the most memory of one of its containers; 0 if no memory pod holds the card
 * @param terminate the processes that the supervisor ends: the newest ones of containers over their limit, of which it
 *     ends the contexts, and those that compute without MPS
 */
public record CardWant(long sequence, long processLimitMib, List<Long> terminate) {
    /** Nothing was ever wanted. */
    public static final CardWant NOTHING = new CardWant(0, 0, List.of());

    public CardWant {
        terminate = List.copyOf(terminate);
    }

    /** Whether memory pods hold the card. */
    public boolean on() {
        return processLimitMib > 0;
    }

    /** The same wish, whatever its sequence. */
    public boolean sameAs(CardWant other) {
        return processLimitMib == other.processLimitMib && terminate.equals(other.terminate);
    }
}
