package io.gpushare.kubernetes;

import java.time.Instant;

/** The count of a repeated occurrence, and its first and last time: one Event reports all of them. */
public record EventSeries(int count, Instant first, Instant last) {
    public EventSeries {
        if (count < 1) {
            throw new IllegalArgumentException("an event that never occurred is not recorded");
        }
    }

    public static EventSeries once(Instant at) {
        return new EventSeries(1, at, at);
    }

    /** The series with one more occurrence. */
    public EventSeries again(Instant at) {
        return new EventSeries(count + 1, first, at);
    }
}
