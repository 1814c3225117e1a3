package io.gpushare.simulated.kubelet;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A token bucket with a burst and a rate per second, as golang.org/x/time/rate. */
final class RateLimit {
    private final double perSecond;
    private final int burst;
    private final InstantSource clock;
    private double tokens;
    private Instant last;

    RateLimit(double perSecond, int burst, InstantSource clock) {
        this.perSecond = perSecond;
        this.burst = burst;
        this.clock = clock;
        this.tokens = burst;
        this.last = clock.instant();
    }

    synchronized boolean allows() {
        Instant now = clock.instant();
        double seconds = Duration.between(last, now).toNanos() / 1e9;
        tokens = Math.min(burst, tokens + seconds * perSecond);
        last = now;
        if (tokens < 1) {
            return false;
        }
        tokens--;
        return true;
    }
}
