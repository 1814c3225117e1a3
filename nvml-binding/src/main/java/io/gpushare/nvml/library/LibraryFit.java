package io.gpushare.nvml.library;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Whether a program has to end because its library of the driver is not the one of the loaded driver any more. A
 * container keeps the library that it got at its start; only the next one gets the new driver's.
 *
 * <p>Where the library did not fit from the start, the next container may get the same one: it is tried every ten
 * minutes, after which the kubelet's back-off has ended.
 */
public final class LibraryFit {
    private static final Duration NEXT_TRY = Duration.ofMinutes(10);

    private boolean fitted;
    private @Nullable Instant since;

    /** The library and the driver responded. */
    public void responded() {
        fitted = true;
        since = null;
    }

    /**
     * NVML failed; returns, once, whether the program has to end. It does not before the second such failure in a row:
     * what the first one changed is published by then.
     */
    public boolean outdated(NvmlException failure, Instant now) {
        if (!(failure instanceof NvmlException.Failed failed) || failed.code() != NvmlCode.LIB_RM_VERSION_MISMATCH) {
            // Such as a driver that is not loaded: the one that will be may have another library.
            responded();
            return false;
        }
        if (since == null) {
            since = now;
            return false;
        }
        boolean outdated = fitted || !now.isBefore(since.plus(NEXT_TRY));
        if (outdated) {
            fitted = false;
            since = now;
        }
        return outdated;
    }
}
