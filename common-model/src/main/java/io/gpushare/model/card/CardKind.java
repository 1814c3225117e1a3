package io.gpushare.model.card;

/**
 * The model and size of a card. Cards of one kind are interchangeable for a policy.
 *
 * @param model the product name, compared literally; that of a MIG instance ends with its profile, see
 *     {@link Card#title}
 * @param capacity what such a card has
 */
public record CardKind(String model, Share capacity) {
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

    /** Memory units of such a card. */
    public int units() {
        return capacity.units();
    }
}
