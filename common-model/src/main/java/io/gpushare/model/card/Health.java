package io.gpushare.model.card;

import java.util.Objects;

/** Whether a card may be given to new pods. */
public sealed interface Health {
    /** The card is well. */
    record Healthy() implements Health {}

    /** The card must not be given out; the reason is for the operator, for example {@code Xid 79}. */
    record Ill(String reason) implements Health {
        public Ill {
            Objects.requireNonNull(reason);
        }
    }

    static Health well() {
        return new Healthy();
    }

    static Health ill(String reason) {
        return new Ill(reason);
    }

    default boolean healthy() {
        return this instanceof Healthy;
    }
}
