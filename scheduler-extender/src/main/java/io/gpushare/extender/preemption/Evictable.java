package io.gpushare.extender.preemption;

import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.pod.PodPriority;
import io.gpushare.model.ledger.NodeCards;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;

/** The holders of a node's cards that may be evicted. */
public final class Evictable {
    private Evictable() {}

    /** The priorities, by uid, of the holders that are pods bound to the node and that meet the condition. */
    public static Map<String, PodPriority> on(
            Ledger ledger, String node, NodeCards cards, Predicate<PodEntry> condition) {
        Map<String, PodPriority> found = new HashMap<>();
        for (NodeCards.Holding holding : cards.holdings()) {
            ledger.podEntry(holding.holder().key())
                    .filter(entry -> node.equals(entry.node()) && condition.test(entry))
                    .ifPresent(entry -> found.put(entry.ref().uid(), entry.priority()));
        }
        return found;
    }
}
