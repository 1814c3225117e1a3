package io.gpushare.extender.policy;

import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.policy.scoring.ClusterCapacity;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * A node with its name: what the ledger has of it, and its verdicts on recent kinds of pods. A node that changes is
 * another object, which has judged nothing yet.
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
    /** By the number of their kind. */
    private final @Nullable Verdict[] verdicts = new @Nullable Verdict[RecentKinds.MOST];

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

    /** The verdict on a new pod of that kind. */
    @SuppressWarnings("ReferenceEquality") // a kind is one object as long as it is remembered
    public Verdict verdict(RecentKinds.Remembered on) {
        @Nullable Verdict present = verdicts[on.number()];
        if (present == null || present.kind() != on.kind()) {
            present = Verdict.of(entry, on.kind());
            verdicts[on.number()] = present;
        }
        return present;
    }

    @Override
    public String toString() {
        return name + "[" + entry.free() + ", " + entry.cards() + "]";
    }
}
