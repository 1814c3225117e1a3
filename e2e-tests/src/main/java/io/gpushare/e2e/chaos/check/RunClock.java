package io.gpushare.e2e.chaos.check;

import java.time.Duration;

/** The time since the beginning of the run. */
public final class RunClock {
    private final long start = System.nanoTime();

    public Duration now() {
        return Duration.ofNanos(System.nanoTime() - start);
    }

    public void sleepUntil(Duration moment) throws InterruptedException {
        Duration left = moment.minus(now());
        if (left.isPositive()) {
            Thread.sleep(left);
        }
    }

    /** Prints a line, prefixed with the time. */
    public void say(String line) {
        long seconds = now().toSeconds();
        System.out.printf("chaos %2d:%02d  %s%n", seconds / 60, seconds % 60, line);
    }
}
