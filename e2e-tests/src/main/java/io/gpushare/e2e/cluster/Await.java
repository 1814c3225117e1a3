package io.gpushare.e2e.cluster;

import java.time.Duration;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Waits for a condition of the cluster by looking again and again. */
public final class Await {
    private static final Duration PAUSE = Duration.ofMillis(300);

    // Of an API object its status, which comes last, is what matters.
    private static final int SHOWN = 1500;

    private Await() {}

    /** Looks until it holds; the failure contains what was seen last. */
    public static <T> T until(Duration limit, String what, Supplier<T> look, Predicate<T> holds) {
        long end = System.nanoTime() + limit.toNanos();
        while (true) {
            T seen = look.get();
            if (holds.test(seen)) {
                return seen;
            }
            if (System.nanoTime() > end) {
                String last = String.valueOf(seen);
                throw new AssertionError("waited " + limit.toSeconds() + " s in vain until " + what + "; last: …"
                        + last.substring(Math.max(0, last.length() - SHOWN)));
            }
            pause();
        }
    }

    private static void pause() {
        try {
            Thread.sleep(PAUSE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting", e);
        }
    }
}
