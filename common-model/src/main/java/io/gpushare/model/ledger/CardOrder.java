package io.gpushare.model.ledger;

import io.gpushare.model.card.Share;
import java.util.Comparator;
import java.util.function.ToIntFunction;

/**
 * The order in which cards that fit are preferred. Among equal cards those in use come first, then those that are least
 * close to the other free cards, then the lowest index: the same input gives the same result.
 */
public enum CardOrder {
    /** The card with the least free memory first: partly used cards are filled before an unused one. */
    BINPACK,
    /** The card with the most free memory first. */
    SPREAD;

    Comparator<CardState> comparator(ToIntFunction<CardState> closenessToFree) {
        Comparator<CardState> least =
                Comparator.comparingInt(state -> state.free().units());
        Comparator<CardState> order = switch (this) {
            case BINPACK -> least;
            case SPREAD -> least.reversed();
        };
        return order.thenComparing(state -> state.offers(Share.WHOLE_CARD))
                .thenComparingInt(closenessToFree)
                .thenComparingInt(state -> state.card().index());
    }
}
