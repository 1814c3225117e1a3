package io.gpushare.extender;

import io.gpushare.extender.scheduling.Binder;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Resolves Bindings with an unknown outcome at a fixed interval. */
final class UnknownBindingTimer {
    private static final Logger LOG = LoggerFactory.getLogger(UnknownBindingTimer.class);
    private static final Duration INTERVAL = Duration.ofSeconds(15);
    // Longer than the API server works on any request: later, a Binding without a response no longer takes effect.
    private static final Duration AGE = Duration.ofSeconds(75);

    private UnknownBindingTimer() {}

    /** Starts a thread that ends with the process, or when it is interrupted. */
    static Thread start(Binder binder, InstantSource clock) {
        return Thread.ofPlatform().daemon().name("unknown-bindings").start(() -> run(binder, clock));
    }

    private static void run(Binder binder, InstantSource clock) {
        try {
            while (true) {
                Thread.sleep(INTERVAL);
                resolve(binder, clock.instant());
            }
        } catch (InterruptedException e) {
            LOG.debug("unknown-bindings ends");
        }
    }

    private static void resolve(Binder binder, Instant now) {
        try {
            binder.resolveUnknown(now.minus(AGE), now);
        } catch (RuntimeException e) {
            LOG.error("resolving unknown bindings failed; the next round tries again", e);
        }
    }
}
