package io.gpushare.extender.policy;

import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.policy.scoring.ClusterCapacity;
import io.gpushare.model.Demand;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * A node with its name: what the ledger has of it, and its answers to recent kinds of pods. A node that changes is
 * another object, which has answered nothing yet.
 */
public final class KnownNode {
    /**
     * The fixed order of nodes that decides among equally good ones. It is a hash of the name: names often go by kind
     * of node, and an order by kind would be a policy of its own. Random ties cost FGD 4 points.
     */
    public static final Comparator<KnownNode> ORDER =
            Comparator.<KnownNode>comparingLong(node -> node.order).thenComparing(KnownNode::name);

    private final String name;
    private final long order;
    private final NodeEntry entry;
    private final Answers<PodKind, Double> costs = new Answers<>();
    private final Answers<Demand, @Nullable Reason> refusals = new Answers<>();

    private KnownNode(String name, long order, NodeEntry entry) {
        this.name = name;
        this.order = order;
        this.entry = entry;
    }

    /** A node with that name. */
    public static KnownNode of(String name, NodeEntry entry) {
        return of(name, 0, entry);
    }

    /**
     * A node with that name, at another place in {@link #ORDER}.
     *
     * @param salt 0; another number gives another order, to measure how much depends on it
     */
    public static KnownNode of(String name, long salt, NodeEntry entry) {
        return new KnownNode(name, NameHash.of(name.getBytes(StandardCharsets.UTF_8), salt), entry);
    }

    /** The capacity of these nodes. */
    public static ClusterCapacity capacity(Collection<KnownNode> nodes) {
        return ClusterCapacity.of(nodes.stream().map(KnownNode::entry).toList());
    }

    /** The same node as it is now. */
    public KnownNode with(NodeEntry now) {
        return new KnownNode(name, order, now);
    }

    public String name() {
        return name;
    }

    /** The key of {@link #ORDER}, which depends on the name alone. */
    public long order() {
        return order;
    }

    /** What the ledger has of it. */
    public NodeEntry entry() {
        return entry;
    }

    /** What a new pod of that kind costs here; infinite if it does not fit. */
    public double cost(Recent.Kind<PodKind> kind) {
        return costs.to(kind, pod -> pod.costOn(entry.offered()));
    }

    /** Why the node can't give a pod the cards of that demand now; null if it can: {@link NodeEntry#refusal}. */
    public @Nullable Reason refusal(Recent.Kind<Demand> kind) {
        return refusals.to(kind, entry::refusal);
    }

    @Override
    public String toString() {
        return name + "[" + entry.free() + ", " + entry.cards() + "]";
    }
}
