package io.gpushare.extender;

import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.Reservation;
import io.gpushare.extender.ledger.Reservation.Source;
import java.time.Duration;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends reservations whose time is over: of filter, and by nodes' annotations that nobody renews, because whoever moved
 * the pods is gone. The age of an annotation
 * is measured by the extender's own clock since its last change, as with the Leases of the nodes.
 */
final class ReservationTimer {
    private static final Logger LOG = LoggerFactory.getLogger(ReservationTimer.class);
    private static final Duration INTERVAL = Duration.ofSeconds(5);
    private final Ledger ledger;
    private final InstantSource clock;

    ReservationTimer(Ledger ledger, InstantSource clock) {
        this.ledger = ledger;
        this.clock = clock;
    }

    /** Starts a thread that ends with the process, or when it is interrupted. */
    Thread start() {
        return Thread.ofPlatform().daemon().name("reservations").start(this::run);
    }

    private void run() {
        try {
            while (true) {
                Thread.sleep(INTERVAL);
                try {
                    endOld();
                } catch (RuntimeException e) {
                    LOG.error("the reservations of cards could not be checked; they are checked again", e);
                }
            }
        } catch (InterruptedException e) {
            LOG.debug("reservations ends");
        }
    }

    /** Ends the reservations whose time is over. */
    void endOld() {
        for (Reservation over : ledger.overReservations(clock.instant())) {
            if (over.source() == Source.DEFRAGMENTATION) {
                LOG.warn("node {}: its cards are not reserved any more, because nobody renewed it", over.node());
                ledger.endReservation(over);
            } else if (over.source() == Source.FILTER) {
                LOG.info(
                        "pod {}: no bind to node {} came in time: nothing is reserved for it", over.pod(), over.node());
                ledger.endReservation(over);
            }
        }
    }
}
