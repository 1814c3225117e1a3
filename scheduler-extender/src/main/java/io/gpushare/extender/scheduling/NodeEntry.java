package io.gpushare.extender.scheduling;

import io.gpushare.extender.placement.Ask;
import io.gpushare.extender.placement.NodeSummary;
import io.gpushare.model.Allocation;
import io.gpushare.model.CardId;
import io.gpushare.model.Inventory;
import io.gpushare.model.MemoryUnit;
import io.gpushare.model.PodRef;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.ledger.NodeCards;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One node in the ledger, immutable. What pods hold on it is kept also while the node or its inventory is not known, so
 * that nothing is lost when it comes later, or goes and returns.
 *
 * @param unusable why it can take nothing; null when its inventory is known
 * @param written the inventory as the node's annotation has it
 */
record NodeEntry(@Nullable Reason unusable, @Nullable String written, NodeCards cards, NodeSummary summary) {
    private static final NodeCards NONE = NodeCards.of(Inventory.empty(MemoryUnit.GIB));
    private static final NodeSummary NOTHING = NodeSummary.of(NONE);

    /** A node of which nothing was heard. */
    private static final NodeEntry UNHEARD = new NodeEntry(Reason.UNKNOWN_NODE, null, NONE, NOTHING);

    static NodeEntry orUnheard(@Nullable NodeEntry entry) {
        return entry == null ? UNHEARD : entry;
    }

    /** Whether the API shows no such node, as far as we heard. */
    boolean unheard() {
        return Reason.UNKNOWN_NODE.equals(unusable);
    }

    NodeEntry known(Inventory inventory, String annotation) {
        NodeCards changed = cards.withInventory(inventory);
        return new NodeEntry(null, annotation, changed, NodeSummary.of(changed));
    }

    NodeEntry unusable(Reason why, @Nullable String annotation) {
        return new NodeEntry(why, annotation, cards.withInventory(NONE.inventory()), NOTHING);
    }

    NodeEntry with(PodRef pod, Allocation allocation) {
        return cards(cards.with(pod, allocation));
    }

    NodeEntry without(String podUid) {
        return cards(cards.without(podUid));
    }

    private NodeEntry cards(NodeCards changed) {
        return new NodeEntry(unusable, written, changed, unusable == null ? NodeSummary.of(changed) : NOTHING);
    }

    /** The entry as the table keeps it: null when there is nothing to remember. */
    @Nullable
    NodeEntry kept() {
        return unheard() && cards.holdings().isEmpty() ? null : this;
    }

    /**
     * Why what that pod has by its annotation can't be true beside the node's cards and the other pods; null if it can, or
     * if nothing is known of the cards. It counts all the same: of two that contradict each other nobody knows which one is
     * wrong, and a card must not become free because of a doubt.
     */
    @Nullable
    String contradiction(Allocation allocation) {
        if (unusable != null) {
            return null;
        }
        Set<CardId> named = new HashSet<>(allocation.memoryCards());
        named.addAll(allocation.wholeCards());
        for (CardState state : cards.cards()) {
            if (named.remove(state.card().id()) && state.overused()) {
                return "by the annotations of its pods more is allocated on card "
                        + state.card().id() + " than it has;"
                        + " delete the pod if it was not placed by the GPU share scheduler";
            }
        }
        return named.isEmpty()
                ? null
                : "the allocation in its annotation names a card that the node does not have: "
                        + named.iterator().next();
    }

    /** Why the node can't take that now; null if it can. */
    @Nullable
    Reason refusal(Ask ask) {
        return unusable != null
                ? unusable
                : summary.refusal(ask).map(Reason::of).orElse(null);
    }
}
