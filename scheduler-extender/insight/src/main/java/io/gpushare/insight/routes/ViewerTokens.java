package io.gpushare.insight.routes;

import io.gpushare.insight.routes.Viewers.Refusal;
import io.gpushare.time.Machine;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The tokens that the API server has accepted. Each is asked about once a minute. Callers that present invalid tokens
 * can't load the API server: reviews are few at a time, and a refusal delays the next one. Accepted tokens don't wait.
 */
final class ViewerTokens {
    private static final int REVIEWS = 2;
    private static final long LONGEST_WAIT_MILLIS = 5000;
    private static final Duration REFUSED_PAUSE = Duration.ofMillis(100);
    private static final long VALID_NANOS = Duration.ofMinutes(1).toNanos();
    private static final int MOST = 1000;

    private final Viewers viewers;
    private final LongSupplier nanos;
    private final Semaphore reviews = new Semaphore(REVIEWS, true);
    // The time of each review, the earliest first.
    private final LinkedHashMap<String, Long> accepted = new LinkedHashMap<>();

    ViewerTokens(Viewers viewers, LongSupplier nanos) {
        this.viewers = viewers;
        this.nanos = nanos;
    }

    /** Throws if the owner of the token may not see the view. Waits for the API server. */
    void check(String token) throws RefusedException, InterruptedException {
        if (known(token)) {
            return;
        }
        if (!reviews.tryAcquire(LONGEST_WAIT_MILLIS, TimeUnit.MILLISECONDS)) {
            throw new RefusedException(503, "too many tokens are being checked; try again");
        }
        try {
            Optional<Refusal> refusal = known(token) ? Optional.empty() : viewers.refusal(token);
            if (refusal.isPresent()) {
                Machine.here().pause(REFUSED_PAUSE);
                throw new RefusedException(refusal.get().status(), refusal.get().sentence());
            }
            accept(token);
        } finally {
            reviews.release();
        }
    }

    private synchronized boolean known(String token) {
        accepted.values().removeIf(at -> nanos.getAsLong() - at > VALID_NANOS);
        return accepted.containsKey(token);
    }

    private synchronized void accept(String token) {
        if (accepted.putIfAbsent(token, nanos.getAsLong()) == null && accepted.size() > MOST) {
            accepted.pollFirstEntry();
        }
    }
}
