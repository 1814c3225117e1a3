package io.gpushare.extender.running;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** A clock on which time passes ten times as fast, and on which it is seen when the extender's preemption looks. */
final class PreemptionClock {
    private static final int SPEED = 10;
    private static final String THREAD = "preemption";
    // Less than the rest between two rounds.
    private static final long REST = Duration.ofMillis(400).toNanos();

    private final AtomicLong passed = new AtomicLong();
    private final AtomicInteger rounds = new AtomicInteger();
    private volatile long last = System.nanoTime() - REST;

    long nanos() {
        long now = System.nanoTime();
        if (Thread.currentThread().getName().equals(THREAD)) {
            if (now - last >= REST) {
                rounds.incrementAndGet();
            }
            last = now;
        }
        return now * SPEED + passed.get();
    }

    void pass(Duration time) {
        passed.addAndGet(time.toNanos());
    }

    /** The rounds that have begun. */
    int rounds() {
        return rounds.get();
    }
}
