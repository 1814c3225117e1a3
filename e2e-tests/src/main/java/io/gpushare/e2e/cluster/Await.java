package io.gpushare.e2e.cluster;

import io.gpushare.simulated.patience.Patience;
import java.time.Duration;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Waits for a condition of the cluster by polling. */
public final class Await {
    private static final Duration PAUSE = Duration.ofMillis(300);

    // The status is the last part of an API object, so the end of the text is shown.
    private static final int SHOWN = 1500;

    private Await() {}

    /**
     * Polls until the condition holds; the failure contains the last value.
     *
     * @param quiet the longest wait on a quiet machine
     */
    public static <T> T until(Duration quiet, String what, Supplier<T> value, Predicate<T> holds) {
        Duration limit = Patience.of(quiet);
        long end = System.nanoTime() + limit.toNanos();
        while (true) {
            T current = value.get();
            if (holds.test(current)) {
                return current;
            }
            if (System.nanoTime() > end) {
                String last = String.valueOf(current);
                throw new AssertionError("timed out after " + limit.toSeconds() + " s waiting until " + what
                        + "; last: …" + last.substring(Math.max(0, last.length() - SHOWN)));
            }
            pause();
        }
    }

    public static void pause() {
        try {
            Thread.sleep(PAUSE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting", e);
        }
    }
}
