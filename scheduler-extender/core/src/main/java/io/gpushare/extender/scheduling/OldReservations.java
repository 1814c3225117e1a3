package io.gpushare.extender.scheduling;

import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.Reservation;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends reservations whose time is over: of filter, and by nodes' annotations that nobody renews, because whoever moved
 * the pods is gone. The age of an annotation is measured by the extender's own clock since its last change, as with the
 * Leases of the nodes.
 */
public final class OldReservations {
    private static final Logger LOG = LoggerFactory.getLogger(OldReservations.class);

    private OldReservations() {}

    public static void end(Ledger ledger, Instant now) {
        for (Reservation over : ledger.overReservations(now)) {
            if (over.source() == Reservation.Source.DEFRAGMENTATION) {
                LOG.warn("node {}: its cards are not reserved any more, because nobody renewed it", over.node());
                ledger.endReservation(over);
            } else if (over.source() == Reservation.Source.FILTER) {
                LOG.info(
                        "pod {}: no bind to node {} came in time: nothing is reserved for it", over.pod(), over.node());
                ledger.endReservation(over);
            }
        }
    }
}
