package io.gpushare.extender;

import io.gpushare.extender.ledger.Ledger;
import io.gpushare.model.codec.HoldCodec;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends holds of cards that nobody renews: whoever moved the pods is gone. The age of an annotation is measured by the
 * extender's own clock since its last change, as with the Leases of the nodes.
 */
final class HoldTimer {
    private static final Logger LOG = LoggerFactory.getLogger(HoldTimer.class);
    private static final Duration INTERVAL = Duration.ofSeconds(5);
    /** {@code kubectl gpushare defrag} renews its holds every 20 s. */
    static final Duration LONGEST = Duration.ofMinutes(2);

    private final Ledger ledger;
    private final InstantSource clock;
    private Map<String, Seen> seen = new HashMap<>();

    private record Seen(String written, Instant since) {}

    HoldTimer(Ledger ledger, InstantSource clock) {
        this.ledger = ledger;
        this.clock = clock;
    }

    /** Starts a thread that ends with the process, or when it is interrupted. */
    Thread start() {
        return Thread.ofPlatform().daemon().name("holds").start(this::run);
    }

    private void run() {
        try {
            while (true) {
                Thread.sleep(INTERVAL);
                try {
                    endOld();
                } catch (RuntimeException e) {
                    LOG.error("the holds of cards could not be checked; they are checked again", e);
                }
            }
        } catch (InterruptedException e) {
            LOG.debug("holds ends");
        }
    }

    /** Ends the holds that are old enough now. */
    void endOld() {
        Instant now = clock.instant();
        Map<String, Seen> present = new HashMap<>();
        ledger.holds().forEach((node, hold) -> {
            Seen before = seen.getOrDefault(node, new Seen("", now));
            Seen current = before.written().equals(hold.written()) ? before : new Seen(hold.written(), now);
            present.put(node, current);
            if (hold.active() && !now.isBefore(current.since().plus(LONGEST))) {
                end(node, hold);
            }
        });
        seen = present;
    }

    private void end(String node, HoldCodec hold) {
        LOG.warn(
                "node {}: its cards are not held any more, because the hold was not renewed for {} s",
                node,
                LONGEST.toSeconds());
        ledger.endHold(node, hold);
    }
}
