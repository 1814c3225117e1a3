package io.gpushare.simulated.kubelet;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** The system's clock, which a test can move forward. */
public final class MovableClock implements InstantSource {
    private volatile Duration ahead = Duration.ZERO;

    @Override
    public Instant instant() {
        return Instant.now().plus(ahead);
    }

    /** Lets that time pass at once. */
    public synchronized void pass(Duration time) {
        ahead = ahead.plus(time);
    }
}
