package io.gpushare.plugin.node.isolation.enforcement;

import io.gpushare.kubernetes.EventSubject;
import io.gpushare.kubernetes.event.EventRecorder;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.ledger.CardState;
import io.gpushare.plugin.node.holdings.Holdings;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports cards whose pods hold memory that is kept for the driver and the isolation now, in the log and as Events on
 * the node: they keep it, and the card offers nothing until some have ended.
 */
public final class HeadroomInUse {
    private static final Logger LOG = LoggerFactory.getLogger(HeadroomInUse.class);

    private final EventSubject.Node node;
    private final EventRecorder events;
    private final Set<CardId> reported = new HashSet<>();

    public HeadroomInUse(EventSubject.Node node, EventRecorder events) {
        this.node = node;
        this.events = events;
    }

    /** Reports each card once, and again if its pods held less meanwhile. */
    synchronized void report(Holdings now) {
        Set<CardId> holding = new HashSet<>();
        for (CardState state : now.cards().cards()) {
            CardId id = state.card().id();
            if (state.holdsHeadroom() && holding.add(id) && !reported.contains(id)) {
                String sentence = sentence(state, now.inventory().unit());
                LOG.warn("{}", sentence);
                events.warn(node, "GpuHeadroomInUse", sentence);
            }
        }
        reported.removeIf(id -> !holding.contains(id));
        reported.addAll(holding);
    }

    private static String sentence(CardState state, MemoryUnit unit) {
        return "Pods hold " + unit.amount(state.allocated().units()) + " of card "
                + state.card().id() + ", and it offers "
                + unit.amount(state.capacity().units()) + " since "
                + state.card().isolation().headroom().text()
                + " are kept for the driver and the isolation (--reserved-memory). They keep what they have, their"
                + " programs may run out of memory before their limits, and the card offers nothing until some of them"
                + " have ended.";
    }
}
