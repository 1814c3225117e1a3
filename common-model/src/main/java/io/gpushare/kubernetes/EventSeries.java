package io.gpushare.kubernetes;

import java.time.Instant;
import java.util.Objects;

/** How often something was, and when first and last: one Event tells of all of it. */
public record EventSeries(int count, Instant first, Instant last) {
    public EventSeries {
        Objects.requireNonNull(first);
        Objects.requireNonNull(last);
        if (count < 1) {
            throw new IllegalArgumentException("what never was is not told");
        }
    }

    public static EventSeries once(Instant at) {
        return new EventSeries(1, at, at);
    }

    /** That, and once more. */
    public EventSeries again(Instant at) {
        return new EventSeries(count + 1, first, at);
    }
}
