package io.gpushare.time;

import java.time.Duration;

/**
 * How long a program waits for responses of other programs on its node.
 *
 * @param times so many times as long as on a node that has processors for all of them
 */
public record Deadlines(int times) {
    /** For a node with a processor for each program. */
    public static final Deadlines USUAL = new Deadlines(1);

    public Deadlines {
        if (times < 1) {
            throw new IllegalArgumentException("a deadline can't be shorter than usual: " + times);
        }
    }

    /** The time to wait. */
    public Duration of(Duration usual) {
        return usual.multipliedBy(times);
    }
}
