package io.gpushare.extender.ledger;

import io.gpushare.extender.capacity.Candidate;
import io.gpushare.extender.capacity.CardKind;
import io.gpushare.extender.capacity.FreeCard;
import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.feasibility.DemandSummary;
import io.gpushare.extender.feasibility.NodeSummary;
import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.extender.policy.scoring.Scoring;
import io.gpushare.model.Allocation;
import io.gpushare.model.Holder;
import io.gpushare.model.HostResources;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.NoCards;
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
 * One node in the ledger, immutable. Holdings of pods are kept while the node or its inventory is unknown, so that
 * nothing is lost when the node is seen after its pods, or returns.
 *
 * @param unusable why it can take no pod; null if its inventory is known
 * @param stale whether its device plugin does not renew its Lease: it takes no new pod, and its pods stay
 * @param written the annotation that holds the inventory
 * @param allocatable the CPU and memory that it offers to pods
 * @param requested the CPU and memory that its pods request
 * @param free its free capacity, as policies see it
 * @param emptied the summary that it would have without pods
 */
public record NodeEntry(
        @Nullable Reason unusable,
        boolean stale,
        @Nullable String written,
        HostResources allocatable,
        HostResources requested,
        NodeCards cards,
        NodeSummary summary,
        NodeSummary emptied,
        FreeNode free) {
    private static final NodeCards NONE = NodeCards.of(Inventory.empty(MemoryUnit.GIB));
    private static final NodeSummary NOTHING = NodeSummary.of(NONE);

    /** A node that the API has not shown. */
    private static final NodeEntry UNSEEN = new NodeEntry(
            Reason.UNKNOWN_NODE,
            false,
            null,
            HostResources.NONE,
            HostResources.NONE,
            NONE,
            NOTHING,
            NOTHING,
            FreeNode.NOWHERE);

    static NodeEntry orUnseen(@Nullable NodeEntry entry) {
        return entry == null ? UNSEEN : entry;
    }

    /** Whether the API shows no such node. */
    boolean unseen() {
        return Reason.UNKNOWN_NODE.equals(unusable);
    }

    NodeEntry known(String name, Inventory inventory, String annotation, HostResources has) {
        NodeCards changed = cards.withInventory(inventory);
        FreeNode fresh = FreeNode.of(name, 0, 0, 0, List.of());
        return new NodeEntry(
                null,
                stale,
                annotation,
                has,
                requested,
                changed,
                NodeSummary.of(changed),
                NodeSummary.of(NodeCards.of(inventory.withHeld(Set.of()))),
                remaining(fresh, has, requested, changed));
    }

    /** The same node, of whose cards exactly these are held: they accept no new pods, as if they were cordoned. */
    public NodeEntry held(String name, Set<CardId> held) {
        Inventory open = cards.inventory().withHeld(held);
        return open.equals(cards.inventory()) ? this : known(name, open, String.valueOf(written), allocatable);
    }

    /** The same cards with another amount of CPU and memory. */
    NodeEntry having(HostResources has) {
        return new NodeEntry(
                unusable,
                stale,
                written,
                has,
                requested,
                cards,
                summary,
                emptied,
                free.with(has.minus(requested), free.cards()));
    }

    /** The same cards, with or without renewals by its device plugin. */
    NodeEntry stale(boolean is) {
        return new NodeEntry(unusable, is, written, allocatable, requested, cards, summary, emptied, free);
    }

    NodeEntry unusable(Reason why, @Nullable String annotation) {
        return new NodeEntry(
                why,
                stale,
                annotation,
                HostResources.NONE,
                requested,
                cards.withInventory(NONE.inventory()),
                NOTHING,
                NOTHING,
                FreeNode.NOWHERE);
    }

    public NodeEntry with(Holder holder, Allocation allocation) {
        return cards(cards.with(holder, allocation));
    }

    /** Without the holding of the holder with that key. */
    @SuppressWarnings("ReferenceEquality") // the cards are the same object if that holder has none
    public NodeEntry without(String holder) {
        NodeCards changed = cards.without(holder);
        return changed == cards ? this : cards(changed);
    }

    /** Adds to the CPU and memory that pods request. */
    public NodeEntry requested(HostResources more) {
        HostResources now = requested.plus(more);
        return new NodeEntry(
                unusable,
                stale,
                written,
                allocatable,
                now,
                cards,
                summary,
                emptied,
                unusable == null ? free.with(allocatable.minus(now), free.cards()) : FreeNode.NOWHERE);
    }

    private NodeEntry cards(NodeCards changed) {
        return unusable == null
                ? new NodeEntry(
                        null,
                        stale,
                        written,
                        allocatable,
                        requested,
                        changed,
                        NodeSummary.of(changed),
                        emptied,
                        remaining(free, allocatable, requested, changed))
                : new NodeEntry(
                        unusable, stale, written, allocatable, requested, changed, NOTHING, emptied, FreeNode.NOWHERE);
    }

    private static FreeNode remaining(
            FreeNode node, HostResources allocatable, HostResources requested, NodeCards cards) {
        return node.with(allocatable.minus(requested), FreeCard.of(cards));
    }

    /** The node without any pod and with all its cards healthy. */
    public FreeNode empty() {
        List<FreeCard> unused = new ArrayList<>();
        for (CardState state : cards.cards()) {
            if (state.capacity().units() > 0) {
                unused.add(FreeCard.unused(unused.size(), CardKind.of(state)));
            }
        }
        return free.with(allocatable, unused);
    }

    /** This entry, or null if there is nothing to keep. */
    @Nullable
    NodeEntry kept() {
        return unseen() && cards.holdings().isEmpty() && requested.equals(HostResources.NONE) ? null : this;
    }

    /**
     * Why the allocation in a pod's annotation contradicts the node's cards or the other pods; null if it does not, or
     * if the cards are unknown. It counts nevertheless: of two pods that contradict each other either may be wrong, and
     * no card may become free by a mistake.
     */
    @Nullable
    String contradiction(Allocation allocation) {
        if (unusable != null) {
            return null;
        }
        Set<CardId> named = new HashSet<>(allocation.cards());
        for (CardState state : cards.cards()) {
            if (named.remove(state.card().id()) && state.overCommitted()) {
                return "the annotations of its pods allocate more on card "
                        + state.card().id() + " than it has;"
                        + " delete the pod if it was not placed by the GPU share scheduler";
            }
        }
        return named.isEmpty()
                ? null
                : "the allocation in its annotation names a card that the node does not have, "
                        + named.iterator().next()
                        + " and is not counted; if the card will not return, recreate the pod";
    }

    /** Allocates the cards that cost least by that scoring, or says why none fit. */
    public Placement place(PodDemand.Valid demand, Scoring scoring) {
        @Nullable Candidate candidate = scoring.best(free, demand.request()).candidate();
        if (candidate != null) {
            // The search still decides among cards that are equal to the policy, by their links.
            @Nullable FreeCard shared = candidate.shared();
            Placement chosen = cards.place(
                    demand.demand(),
                    CardOrder.BINPACK,
                    state -> shared != null && shared.sameAs(state),
                    state -> candidate.whole().stream().anyMatch(card -> card.sameAs(state)));
            if (chosen instanceof Placement.Placed) {
                return chosen;
            }
        }
        // A policy has no candidate if the node's CPU or memory looks exhausted. kube-scheduler, which chose the node,
        // decides about these.
        return cards.place(demand.demand(), CardOrder.BINPACK);
    }

    /** Why the node can take no new pod, whatever is free on its cards; null if it can. */
    @Nullable
    public Reason unavailable() {
        if (unusable != null || stale) {
            return unusable == null ? Reason.NOT_RENEWED : unusable;
        }
        @Nullable NoCards none = cards.inventory().noCards();
        return none == null ? null : Reason.noCards(none.cause());
    }

    /** Its summary for new pods. */
    public NodeSummary offered() {
        return stale ? NOTHING : summary;
    }

    /** Its free capacity for new pods. */
    FreeNode offeredFree() {
        return stale ? FreeNode.NOWHERE : free;
    }

    /** Why the node can't take the demand now; null if it can. */
    @Nullable
    public Reason refusal(DemandSummary demand) {
        @Nullable Reason always = unavailable();
        if (always != null) {
            return always;
        }
        @Nullable Refusal now = summary.refusal(demand);
        if (now == null) {
            return null;
        }
        @Nullable Refusal whenEmpty = emptied.refusal(demand);
        return whenEmpty == null ? Reason.occupied(now) : Reason.evenWhenEmpty(whenEmpty);
    }
}
