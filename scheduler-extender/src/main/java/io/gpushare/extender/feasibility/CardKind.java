package io.gpushare.extender.feasibility;

import io.gpushare.model.ledger.CardState;
import java.util.Objects;

/**
 * Cards that are the same to a pod.
 *
 * @param model the product name, compared as it is written
 * @param units memory units that such a card has, or whatever else shares of it are counted in; at least 1
 */
public record CardKind(String model, int units) {
    public CardKind {
        Objects.requireNonNull(model);
        if (units < 1) {
            throw new IllegalArgumentException("a card of model '" + model + "' must have at least one unit");
        }
    }

    /** The kind of that card, which has at least one unit. */
    public static CardKind of(CardState state) {
        return new CardKind(state.card().model(), state.capacity().units());
    }
}
