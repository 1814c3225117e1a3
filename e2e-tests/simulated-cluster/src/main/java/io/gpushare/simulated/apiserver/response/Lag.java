package io.gpushare.simulated.apiserver.response;

import java.util.concurrent.ThreadLocalRandom;

/**
 * How late the simulated API server is, for whoever looks for tests that race: with {@code -Dgpushare.lag=500} each
 * watch shows its changes up to half a second late, each by a time of its own, and Events are recorded as late. A test
 * that expects what a program does only after it heard of a change then fails each time, and not once in a hundred
 * runs.
 */
public final class Lag {
    private static final int MOST_MILLIS = Integer.getInteger("gpushare.lag", 0);

    private Lag() {}

    /** A lag in milliseconds, drawn anew with each call; 0 without the property. */
    public static long millis() {
        return MOST_MILLIS == 0 ? 0 : ThreadLocalRandom.current().nextInt(MOST_MILLIS + 1);
    }
}
