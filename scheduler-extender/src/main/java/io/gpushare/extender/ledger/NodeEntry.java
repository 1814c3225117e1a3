package io.gpushare.extender.ledger;

import io.gpushare.extender.capacity.Candidate;
import io.gpushare.extender.capacity.FreeCard;
import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.feasibility.CardKind;
import io.gpushare.extender.feasibility.DemandSummary;
import io.gpushare.extender.feasibility.NodeSummary;
import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.pod.PodSpecSummary;
import io.gpushare.extender.policy.scoring.Scoring;
import io.gpushare.model.Allocation;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.ledger.CardOrder;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.ledger.Placement;
import io.gpushare.model.ledger.Refusal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One node in the ledger, immutable. What pods hold on it is kept also while the node or its inventory is not known, so
 * that nothing is lost when it comes later, or goes and returns.
 *
 * @param unusable why it can take nothing; null when its inventory is known
 * @param written the inventory as the node's annotation has it
 * @param allocatable the cpu and memory that it has for pods
 * @param requested what its pods request of them
 * @param room what policies see of it
 * @param emptied the summary that it would have if no pod were there
 */
public record NodeEntry(
        @Nullable Reason unusable,
        @Nullable String written,
        HostResources allocatable,
        HostResources requested,
        NodeCards cards,
        NodeSummary summary,
        NodeSummary emptied,
        FreeNode room) {
    private static final NodeCards NONE = NodeCards.of(Inventory.empty(MemoryUnit.GIB));
    private static final NodeSummary NOTHING = NodeSummary.of(NONE);

    /** A node of which nothing was heard. */
    private static final NodeEntry UNHEARD = new NodeEntry(
            Reason.UNKNOWN_NODE,
            null,
            HostResources.NONE,
            HostResources.NONE,
            NONE,
            NOTHING,
            NOTHING,
            FreeNode.NOWHERE);

    static NodeEntry orUnheard(@Nullable NodeEntry entry) {
        return entry == null ? UNHEARD : entry;
    }

    /** Whether the API shows no such node, as far as we heard. */
    boolean unheard() {
        return Reason.UNKNOWN_NODE.equals(unusable);
    }

    NodeEntry known(String name, Inventory inventory, String annotation, HostResources has) {
        NodeCards changed = cards.withInventory(inventory);
        FreeNode fresh = FreeNode.of(name, 0, 0, 0, List.of());
        return new NodeEntry(
                null,
                annotation,
                has,
                requested,
                changed,
                NodeSummary.of(changed),
                NodeSummary.of(NodeCards.of(inventory)),
                room(fresh, has, requested, changed));
    }

    /** It has another amount of cpu and memory, and the cards that it had. */
    NodeEntry having(HostResources has) {
        return new NodeEntry(
                unusable,
                written,
                has,
                requested,
                cards,
                summary,
                emptied,
                room.with(has.minus(requested), room.cards()));
    }

    NodeEntry unusable(Reason why, @Nullable String annotation) {
        return new NodeEntry(
                why,
                annotation,
                HostResources.NONE,
                requested,
                cards.withInventory(NONE.inventory()),
                NOTHING,
                NOTHING,
                FreeNode.NOWHERE);
    }

    public NodeEntry with(PodRef pod, Allocation allocation) {
        return cards(cards.with(pod, allocation));
    }

    public NodeEntry without(String podUid) {
        return cards(cards.without(podUid));
    }

    /** So much more is requested of it; less where that is negative. */
    NodeEntry requested(HostResources more) {
        HostResources now = requested.plus(more);
        return new NodeEntry(
                unusable,
                written,
                allocatable,
                now,
                cards,
                summary,
                emptied,
                unusable == null ? room.with(allocatable.minus(now), room.cards()) : FreeNode.NOWHERE);
    }

    private NodeEntry cards(NodeCards changed) {
        return unusable == null
                ? new NodeEntry(
                        null,
                        written,
                        allocatable,
                        requested,
                        changed,
                        NodeSummary.of(changed),
                        emptied,
                        room(room, allocatable, requested, changed))
                : new NodeEntry(unusable, written, allocatable, requested, changed, NOTHING, emptied, FreeNode.NOWHERE);
    }

    private static FreeNode room(FreeNode node, HostResources allocatable, HostResources requested, NodeCards cards) {
        return node.with(allocatable.minus(requested), FreeCard.of(cards));
    }

    /** The node as it would be without any pod, its ill cards healed: what a cluster is made of. */
    FreeNode empty() {
        List<FreeCard> unused = new ArrayList<>();
        for (CardState state : cards.cards()) {
            if (state.capacity().units() > 0) {
                unused.add(FreeCard.unused(
                        unused.size(),
                        new CardKind(state.card().model(), state.capacity().units())));
            }
        }
        return room.with(allocatable, unused);
    }

    /** The entry as the table keeps it: null when there is nothing to remember. */
    @Nullable
    NodeEntry kept() {
        return unheard() && cards.holdings().isEmpty() && requested.equals(HostResources.NONE) ? null : this;
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
        Set<CardId> named = new HashSet<>(allocation.cards());
        for (CardState state : cards.cards()) {
            if (named.remove(state.card().id()) && state.overCommitted()) {
                return "by the annotations of its pods more is allocated on card "
                        + state.card().id() + " than it has;"
                        + " delete the pod if it was not placed by the GPU share scheduler";
            }
        }
        return named.isEmpty()
                ? null
                : "the allocation in its annotation names a card that the node does not have, "
                        + named.iterator().next()
                        + ", and counts on none; if that card will not return, create the pod anew";
    }

    /** The cards that cost that policy least, or why there are none. */
    Placement place(PodSpecSummary wanted, Scoring scoring) {
        @Nullable Candidate way = room.best(scoring, wanted.request()).way();
        if (way != null) {
            // Cards that are alike to the policy may be linked better or worse: among those the search decides.
            FreeCard shared = way.shared();
            Placement chosen = cards.place(
                    wanted.demand(),
                    CardOrder.BINPACK,
                    state -> shared != null && shared.sameAs(state),
                    state -> way.whole().stream().anyMatch(card -> card.sameAs(state)));
            if (chosen instanceof Placement.Placed) {
                return chosen;
            }
        }
        // A policy sees no way where the node's cpu or memory seems spent. That is for kube-scheduler to judge: it sent
        // the
        // pod here.
        return cards.place(wanted.demand(), CardOrder.BINPACK);
    }

    /** Why the node can't take that now; null if it can. */
    @Nullable
    public Reason refusal(DemandSummary ask) {
        if (unusable != null) {
            return unusable;
        }
        @Nullable Refusal now = summary.refusal(ask);
        if (now == null) {
            return null;
        }
        @Nullable Refusal always = emptied.refusal(ask);
        return always == null ? Reason.taken(now) : Reason.beyond(always);
    }
}
