package io.gpushare.extender.capacity;

import io.gpushare.model.card.Share;
import io.gpushare.model.ledger.CardState;

/**
 * The model and size of a card. Cards of one kind are interchangeable for a policy.
 *
 * @param model the product name, compared literally; that of a MIG instance ends with its profile, see
 *     {@link io.gpushare.model.card.Card#title}
 * @param capacity what such a card has; at least one memory unit
 */
public record CardKind(String model, Share capacity) {
    public CardKind {
        if (capacity.units() < 1) {
            throw new IllegalArgumentException("a card of model '" + model + "' must have at least one unit");
        }
    }

    /** A kind of card with that many memory units. */
    public CardKind(String model, int units) {
        this(model, Share.memory(units).plus(Share.WHOLE_CARD));
    }

    /** A kind of MIG instance with that many memory units, which takes no whole-card pod. */
    public static CardKind instance(String title, int units) {
        return new CardKind(title, Share.memory(units).plus(Share.INSTANCE));
    }

    /** Whether cards of this kind are MIG instances. */
    public boolean instance() {
        return capacity.instances() > 0;
    }

    /** The kind of a card that has at least one unit. */
    public static CardKind of(CardState state) {
        return new CardKind(state.card().title(), state.capacity());
    }

    /** Memory units of such a card. */
    public int units() {
        return capacity.units();
    }
}
