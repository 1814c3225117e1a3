package io.gpushare.extender;

import io.gpushare.extender.placement.Placer;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lets the adaptive policy review what it decides by, beside the requests. */
final class PolicyReviewTimer {
    private static final Logger LOG = LoggerFactory.getLogger(PolicyReviewTimer.class);
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private final Placer placer;

    PolicyReviewTimer(Placer placer) {
        this.placer = placer;
    }

    /** Starts a thread that ends with the process, or when it is interrupted. */
    Thread start() {
        return Thread.ofPlatform().daemon().name("policy-review").start(this::run);
    }

    private void run() {
        try {
            while (true) {
                Thread.sleep(INTERVAL);
                review();
            }
        } catch (InterruptedException e) {
            LOG.debug("policy-review ends");
        }
    }

    private void review() {
        try {
            placer.reviewPolicy()
                    .ifPresent(
                            kind -> LOG.info("policy adaptive: {} serves the latest pods best, and decides now", kind));
        } catch (RuntimeException e) {
            LOG.error("reviewing the policy failed; the former one stays", e);
        }
    }
}
