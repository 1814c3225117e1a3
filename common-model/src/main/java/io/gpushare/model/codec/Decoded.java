package io.gpushare.model.codec;

import io.gpushare.model.text.Printable;
import java.util.Optional;

/** The result of decoding: absent, valid, or malformed with a reason that a user can act on. */
public sealed interface Decoded<T> {
    record Absent<T>() implements Decoded<T> {}

    record Valid<T>(T value) implements Decoded<T> {}

    record Malformed<T>(String reason) implements Decoded<T> {
        private static final int LONGEST = 768;

        public Malformed {
            reason = Printable.line(reason, LONGEST);
        }
    }

    /** The value if it is valid. */
    default Optional<T> valid() {
        return this instanceof Valid<T>(T value) ? Optional.of(value) : Optional.empty();
    }
}
