package io.gpushare.e2e.chaos;

import java.time.Duration;

/** The run's own time: from its beginning. */
final class Stopwatch {
    private final long start = System.nanoTime();

    Duration now() {
        return Duration.ofNanos(System.nanoTime() - start);
    }

    void sleepUntil(Duration moment) throws InterruptedException {
        Duration left = moment.minus(now());
        if (left.isPositive()) {
            Thread.sleep(left);
        }
    }

    /** Prints a line, with the time before it. */
    void say(String line) {
        long seconds = now().toSeconds();
        System.out.printf("chaos %2d:%02d  %s%n", seconds / 60, seconds % 60, line);
    }
}
