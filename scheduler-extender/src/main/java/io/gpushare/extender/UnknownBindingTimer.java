package io.gpushare.extender;

import io.gpushare.extender.scheduling.Binder;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks again and again after what stays assumed for long. */
final class UnknownBindingTimer {
    private static final Logger LOG = LoggerFactory.getLogger(UnknownBindingTimer.class);
    private static final Duration EVERY = Duration.ofSeconds(15);
    // Longer than the API server works on any request: after that, a Binding without an answer won't come true.
    private static final Duration DOUBT = Duration.ofSeconds(75);

    private UnknownBindingTimer() {}

    /** Starts a thread that ends with the process. */
    static void start(Binder binder, InstantSource clock) {
        Thread.ofPlatform().daemon().name("settling").start(() -> run(binder, clock));
    }

    private static void run(Binder binder, InstantSource clock) {
        try {
            while (true) {
                Thread.sleep(EVERY);
                settle(binder, clock.instant());
            }
        } catch (InterruptedException e) {
            LOG.debug("settling ends");
        }
    }

    private static void settle(Binder binder, Instant now) {
        try {
            binder.resolveUnknown(now.minus(DOUBT), now);
        } catch (RuntimeException e) {
            LOG.error("settling failed; it is tried again", e);
        }
    }
}
