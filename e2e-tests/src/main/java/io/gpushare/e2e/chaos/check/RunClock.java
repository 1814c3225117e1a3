package io.gpushare.e2e.chaos.check;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/** The time since the beginning of the run. */
public final class RunClock {
    /** The target may be restarting, and the leader is unknown while the API server is unavailable. */
    private static final Duration UNTIL_IT_RUNS = Duration.ofSeconds(45);

    private static final Duration PAUSE = Duration.ofMillis(300);

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

    /** What a fault hits, if it is there within a while. */
    public <T> Optional<T> awaited(Supplier<Optional<T>> lookup) throws InterruptedException {
        Duration end = now().plus(UNTIL_IT_RUNS);
        Optional<T> found = lookup.get();
        while (found.isEmpty() && now().compareTo(end) < 0) {
            Thread.sleep(PAUSE);
            found = lookup.get();
        }
        return found;
    }

    /** Prints a line, prefixed with the time. */
    public void say(String line) {
        long seconds = now().toSeconds();
        System.out.printf("chaos %2d:%02d  %s%n", seconds / 60, seconds % 60, line);
    }
}
