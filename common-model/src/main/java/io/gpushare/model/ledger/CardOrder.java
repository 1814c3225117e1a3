package io.gpushare.model.ledger;

import io.gpushare.model.Share;
import java.util.Comparator;
import java.util.function.ToIntFunction;

/**
 * In which order cards that fit are taken. Of equal ones those in use come first, then those that the other free cards
 * miss least, then the lowest index, so that the same input gives the same answer.
 */
public enum CardOrder {
    /** The card with the least free memory first: holes are filled before a fresh card is opened. */
    BINPACK,
    /** The card with the most free memory first. */
    SPREAD;

    Comparator<CardState> comparator(ToIntFunction<CardState> missed) {
        Comparator<CardState> least =
                Comparator.comparingInt(state -> state.free().units());
        Comparator<CardState> order = switch (this) {
            case BINPACK -> least;
            case SPREAD -> least.reversed();
        };
        return order.thenComparing(state -> state.offers(Share.WHOLE_CARD))
                .thenComparingInt(missed)
                .thenComparingInt(state -> state.card().index());
    }
}
