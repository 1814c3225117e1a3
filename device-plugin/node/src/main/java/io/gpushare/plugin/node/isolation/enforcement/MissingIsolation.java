package io.gpushare.plugin.node.isolation.enforcement;

import io.gpushare.kubernetes.EventSubject;
import io.gpushare.kubernetes.event.EventRecorder;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.MemoryUnit;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports cards that offer no memory, or not as the operator asked for, in the log and as Events on the node. */
public final class MissingIsolation {
    private static final Logger LOG = LoggerFactory.getLogger(MissingIsolation.class);

    private final EventSubject.Node node;
    private final EventRecorder events;
    private final Map<CardId, CardIsolation> reported = new HashMap<>();

    public MissingIsolation(EventSubject.Node node, EventRecorder events) {
        this.node = node;
        this.events = events;
    }

    /** Reports what changed since the last inventory. */
    synchronized void report(Inventory now) {
        for (Card card : now.cards()) {
            CardIsolation isolation = card.isolation();
            if (isolation.equals(reported.put(card.id(), isolation))) {
                continue;
            }
            if (isolation.inForce() != Isolation.NONE) {
                LOG.info("card {}: isolation {} is in force", card.id(), isolation.inForce());
            } else if (!isolation.missing().isEmpty()) {
                String sentence = (isolation.closed()
                                ? "Card " + card.id() + " offers no memory: "
                                : "Memory of card " + card.id() + " is only counted, not enforced: ")
                        + isolation.missing();
                LOG.warn("{}", sentence);
                events.warn(node, reason(card, now.unit()), sentence + ".");
            }
        }
    }

    private static String reason(Card card, MemoryUnit unit) {
        return !card.hasMemory()
                ? "GpuMemoryUnknown"
                : unit.unitsIn(card.offeredMemory()) == 0 ? "GpuSmallerThanUnit" : "GpuIsolationMissing";
    }
}
