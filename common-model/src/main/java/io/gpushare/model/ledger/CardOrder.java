package io.gpushare.model.ledger;

import java.util.Comparator;

/** In which order cards that fit are taken; the lowest index breaks ties, so that the same input gives the same answer. */
public enum CardOrder {
    /** The card with the least free memory first: holes are filled before a fresh card is opened. */
    BINPACK,
    /** The card with the most free memory first. */
    SPREAD;

    Comparator<CardState> comparator() {
        Comparator<CardState> least = Comparator.comparingInt(CardState::freeUnits);
        Comparator<CardState> order = switch (this) {
            case BINPACK -> least;
            case SPREAD -> least.reversed();
        };
        return order.thenComparingInt(state -> state.card().index());
    }
}
