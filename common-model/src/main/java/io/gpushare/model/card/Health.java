package io.gpushare.model.card;

/** Whether a card may be allocated to new pods. */
public sealed interface Health {
    record Healthy() implements Health {}

    /** The card accepts no new pods; the reason is for the operator, for example {@code Xid 79}. */
    record Unhealthy(String reason) implements Health {}

    default boolean healthy() {
        return this instanceof Healthy;
    }
}
