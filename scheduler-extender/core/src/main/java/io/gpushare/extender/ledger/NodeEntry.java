package io.gpushare.extender.ledger;

import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.pod.NodeDemand;
import io.gpushare.model.Allocation;
import io.gpushare.model.Demand;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.NoCards;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.ledger.Nearest;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.node.NodeFacts;
import io.gpushare.model.node.NodeMismatch;
import io.gpushare.model.node.Taint;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One node in the ledger, immutable. Holdings of pods are kept while the node or its inventory is unknown, so that
 * nothing is lost when the node is seen after its pods, or returns.
 *
 * @param unusable why it can take no pod; null if its inventory is known
 * @param stale whether its device plugin does not renew its Lease: its pods stay
 * @param written the annotation that holds the inventory
 * @param allocatable the CPU and memory that it offers to pods
 * @param requested the CPU and memory that its pods request
 * @param emptied the same cards without pods, and none of them reserved
 * @param facts what pods may require of it apart from resources; null if that is unknown
 */
public record NodeEntry(
        @Nullable Reason unusable,
        boolean stale,
        @Nullable String written,
        HostResources allocatable,
        HostResources requested,
        NodeCards cards,
        NodeCards emptied,
        @Nullable NodeFacts facts) {
    private static final NodeCards NONE = NodeCards.of(Inventory.empty(MemoryUnit.GIB));

    /** A node that the API has not shown. */
    private static final NodeEntry UNSEEN =
            new NodeEntry(Reason.UNKNOWN_NODE, false, null, HostResources.NONE, HostResources.NONE, NONE, NONE, null);

    public static NodeEntry orUnseen(@Nullable NodeEntry entry) {
        return entry == null ? UNSEEN : entry;
    }

    /**
     * Whether it takes no new pod because of its Lease. On a node that serves claims a device plugin has left it there.
     */
    public boolean notRenewed() {
        return stale && !cards.inventory().servesClaims();
    }

    /** A node with these cards, CPU and memory, and without pods. */
    public static NodeEntry of(Inventory inventory, HostResources allocatable) {
        return UNSEEN.known(inventory, "", allocatable);
    }

    /** The CPU and memory that its pods leave; negative where they request more than it has. */
    public HostResources free() {
        return allocatable.minus(requested);
    }

    /** The same for new pods: nothing where it takes none because of its Lease. */
    public NodeEntry offered() {
        return notRenewed() ? UNSEEN : this;
    }

    /** What closes it for a while to pods that do not tolerate that; null if nothing does. */
    public @Nullable Taint shut() {
        return facts == null ? null : facts.shut();
    }

    /** What pods without particular tolerations may have of it: nothing while it is {@link #shut}. */
    public NodeEntry offeredToAll() {
        return shut() == null ? offered() : UNSEEN;
    }

    /** The same node without pods, and with all its cards healthy. */
    public NodeEntry repaired() {
        return new NodeEntry(
                unusable,
                stale,
                written,
                allocatable,
                HostResources.NONE,
                NodeCards.of(cards.inventory().repaired()),
                emptied,
                facts);
    }

    /** Whether the API shows no such node. */
    boolean unseen() {
        return Reason.UNKNOWN_NODE.equals(unusable);
    }

    NodeEntry known(Inventory inventory, String annotation, HostResources has) {
        return new NodeEntry(
                null,
                stale,
                annotation,
                has,
                requested,
                cards.withInventory(inventory),
                NodeCards.of(inventory.withHeld(Set.of())),
                facts);
    }

    /** The same node, of whose cards exactly these are reserved: they accept no new pods, as if they were cordoned. */
    public NodeEntry reserved(Set<CardId> reserved) {
        Inventory open = cards.inventory().withHeld(reserved);
        return open.equals(cards.inventory()) ? this : known(open, String.valueOf(written), allocatable);
    }

    /** The same node, of whose cards exactly these are tainted, if it offers them by claims. */
    NodeEntry tainted(String name, CardTaints taints) {
        Inventory now = cards.inventory();
        Inventory changed = now.withTaints(now.servesClaims() ? taints.on(name, now) : Map.of());
        return changed.equals(now) ? this : known(changed, String.valueOf(written), allocatable);
    }

    /** The same cards with another amount of CPU and memory. */
    NodeEntry having(HostResources has) {
        return new NodeEntry(unusable, stale, written, has, requested, cards, emptied, facts);
    }

    /** The same cards, with or without renewals by its device plugin. */
    NodeEntry stale(boolean is) {
        return new NodeEntry(unusable, is, written, allocatable, requested, cards, emptied, facts);
    }

    NodeEntry unusable(Reason why, @Nullable String annotation) {
        return new NodeEntry(
                why,
                stale,
                annotation,
                HostResources.NONE,
                requested,
                cards.withInventory(NONE.inventory()),
                NONE,
                why.equals(Reason.UNKNOWN_NODE) ? null : facts);
    }

    /** The same cards on a node with these labels and taints. */
    NodeEntry with(NodeFacts now) {
        return now.equals(facts)
                ? this
                : new NodeEntry(unusable, stale, written, allocatable, requested, cards, emptied, now);
    }

    public NodeEntry with(PodRef holder, Allocation allocation) {
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
        return new NodeEntry(unusable, stale, written, allocatable, requested.plus(more), cards, emptied, facts);
    }

    private NodeEntry cards(NodeCards changed) {
        return new NodeEntry(unusable, stale, written, allocatable, requested, changed, emptied, facts);
    }

    /** This entry, or null if there is nothing to keep. */
    public @Nullable NodeEntry kept() {
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
            if (named.remove(state.card().id()) && state.overCommitted() && !state.holdsHeadroom()) {
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

    /** Why the node can take no new pod, whatever is free on its cards; null if it can. */
    @Nullable
    public Reason unavailable() {
        if (unusable != null || notRenewed()) {
            return unusable == null ? Reason.NOT_RENEWED : unusable;
        }
        @Nullable NoCards none = cards.inventory().noCards();
        return none == null ? null : Reason.noCards(none.cause());
    }

    /** The same for that demand: a node offers its cards by claims, or as resources. */
    @Nullable
    public Reason unavailable(NodeDemand demand) {
        @Nullable Reason always = unavailable();
        return !demand.foreign()
                ? always
                : always == null ? Reason.SERVES_NO_CLAIMS : always.equals(Reason.SERVES_CLAIMS) ? null : always;
    }

    /**
     * Why the node can't take a pod that is not bound now: it does not accept the node, or its cards; null if it can.
     */
    @Nullable
    public Reason refusal(NodeDemand demand) {
        @Nullable Reason always = unavailable(demand);
        @Nullable NodeMismatch mismatch = facts == null ? null : demand.nodes().mismatch(facts);
        // Nothing renews a Lease on a node that is not ready.
        boolean down = Reason.NOT_RENEWED.equals(always) && mismatch == NodeMismatch.NOT_READY;
        if (always != null && !down) {
            return always;
        }
        return mismatch == null ? lack(demand.cards()) : Reason.notAccepted(mismatch);
    }

    /** Why the node can't give a pod these cards now, in requests of kube-scheduler; null if it can. */
    @Nullable
    public Reason refusal(Demand demand) {
        @Nullable Reason always = unavailable();
        return always == null ? lack(demand) : always;
    }

    private @Nullable Reason lack(Demand demand) {
        @Nullable Nearest now = cards.nearest(demand);
        if (now == null) {
            return null;
        }
        @Nullable Nearest whenEmpty = emptied.nearest(demand);
        return whenEmpty == null ? Reason.occupied(now.refusal()) : Reason.evenWhenEmpty(whenEmpty.refusal());
    }

    /** What the cards lack for the demand, whatever else refuses it: of empty cards if these lack something. */
    @Nullable
    public Nearest nearest(Demand demand) {
        @Nullable Nearest now = cards.nearest(demand);
        @Nullable Nearest whenEmpty = now == null ? null : emptied.nearest(demand);
        return whenEmpty == null ? now : whenEmpty;
    }
}
