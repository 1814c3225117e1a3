package io.gpushare.extender.placement;

import io.gpushare.extender.feasibility.FilterResult;
import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.policy.KnownNode;
import io.gpushare.extender.policy.PodKind;
import io.gpushare.extender.policy.Recent;
import io.gpushare.extender.policy.scoring.Scoring;
import io.gpushare.model.Demand;
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
    private final Recent<PodKind> kinds = new Recent<>();
    private final Recent<Demand> demands = new Recent<>();

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

    /**
     * Which of these nodes can give a pod the cards of that demand, and why the others can't.
     *
     * @param names of the nodes, in their order
     */
    public FilterResult verdicts(List<KnownNode> of, List<String> names, Demand demand) {
        Recent.Kind<Demand> kind = demands.of(demand);
        return FilterResult.of(names, place -> of.get(place).refusal(kind));
    }

    /** What such pods cost on each of these nodes by that scoring. */
    public NodeCosts costs(List<KnownNode> of, Scoring scoring, PodRequest pod) {
        Recent.Kind<PodKind> kind = kinds.of(new PodKind(scoring, pod));
        return new NodeCosts(
                of, of.stream().mapToDouble(node -> node.cost(kind)).toArray(), pod);
    }
}
