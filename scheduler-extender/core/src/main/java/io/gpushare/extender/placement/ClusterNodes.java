package io.gpushare.extender.placement;

import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.policy.KnownNode;
import io.gpushare.extender.policy.PodKind;
import io.gpushare.extender.policy.RecentKinds;
import io.gpushare.extender.policy.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of the cluster by name, as the ledger published them last: filter and prioritize read them without a lock,
 * and see a past state in any case. Thread-safe.
 */
public final class ClusterNodes {
    private final Map<String, KnownNode> nodes = new ConcurrentHashMap<>();
    private final RecentKinds kinds = new RecentKinds();

    ClusterNodes() {}

    /** Updates that node, or forgets it for null. */
    void put(String name, @Nullable NodeEntry now) {
        if (now == null) {
            nodes.remove(name);
        } else {
            nodes.put(name, KnownNode.of(name, now));
        }
    }

    /** All nodes. */
    public List<KnownNode> all() {
        return List.copyOf(nodes.values());
    }

    /**
     * The nodes with these names, in their order; one that is not known can take no pod.
     *
     * @param apart the nodes that are not the same for a pod as for all
     */
    public List<KnownNode> named(List<String> names, Map<String, NodeEntry> apart) {
        List<KnownNode> named = new ArrayList<>(names.size());
        for (String name : names) {
            @Nullable NodeEntry own = apart.isEmpty() ? null : apart.get(name);
            @Nullable KnownNode node = own == null ? nodes.get(name) : KnownNode.of(name, own);
            named.add(node == null ? KnownNode.of(name, NodeEntry.orUnseen(null)) : node);
        }
        return named;
    }

    /** The verdicts of these nodes on pods of that kind, in their order. */
    public List<Verdict> verdicts(List<KnownNode> of, PodKind kind) {
        RecentKinds.Remembered remembered = kinds.of(kind);
        List<Verdict> verdicts = new ArrayList<>(of.size());
        for (KnownNode node : of) {
            verdicts.add(node.verdict(remembered));
        }
        return verdicts;
    }
}
