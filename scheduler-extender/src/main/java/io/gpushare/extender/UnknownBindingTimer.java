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

    private final Binder binder;
    private final InstantSource clock;

    UnknownBindingTimer(Binder binder, InstantSource clock) {
        this.binder = binder;
        this.clock = clock;
    }

    /** Starts a thread that ends with the process, or when it is interrupted. */
    Thread start() {
        return Thread.ofPlatform().daemon().name("unknown-bindings").start(this::run);
    }

    private void run() {
        try {
            while (true) {
                Thread.sleep(INTERVAL);
                resolveOld();
            }
        } catch (InterruptedException e) {
            LOG.debug("unknown-bindings ends");
        }
    }

    /** Resolves the Bindings that are old enough now. */
    void resolveOld() {
        Instant now = clock.instant();
        try {
            binder.resolveUnknown(now.minus(AGE), now);
        } catch (RuntimeException e) {
            LOG.error("resolving unknown bindings failed; the next round tries again", e);
        }
    }
}
