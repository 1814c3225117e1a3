package io.gpushare.kubernetes;

import java.time.Instant;
import java.util.Objects;

/** How often something was, and when first and last: one Event tells of all of it. */
public record Occurrences(int count, Instant first, Instant last) {
    public Occurrences {
        Objects.requireNonNull(first);
        Objects.requireNonNull(last);
        if (count < 1) {
            throw new IllegalArgumentException("what never was is not told");
        }
    }

    public static Occurrences once(Instant at) {
        return new Occurrences(1, at, at);
    }

    /** That, and once more. */
    public Occurrences again(Instant at) {
        return new Occurrences(count + 1, first, at);
    }
}
