package io.gpushare.extender.policy;

import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.policy.scoring.CardChoice;
import io.gpushare.extender.policy.scoring.Scoring;
import io.gpushare.model.PodRef;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Chooses among the nodes of a cluster: the lowest cost, and among equal ones the first in {@link KnownNode#ORDER}. */
public final class NodeChooser {
    // A trace has some hundreds.
    private static final int MAX_KINDS = 512;

    private final KnownNode[] nodes;
    private final Map<String, Integer> positions = new HashMap<>();
    // The last result for each kind of pod by node position, all of one scoring.
    private final Map<PodRequest, @Nullable Known[]> kinds = new HashMap<>();
    private @Nullable Scoring scoring;
    private int taken;

    /** The result on one node, as the node was then. */
    private record Known(KnownNode node, Scoring.Best best) {}

    /** The cheapest cards, and the node that has them. */
    public record Chosen(String node, CardChoice cards) {}

    public NodeChooser(List<KnownNode> nodes) {
        this.nodes = nodes.stream().sorted(KnownNode.ORDER).toArray(KnownNode[]::new);
        for (int i = 0; i < this.nodes.length; i++) {
            if (positions.put(this.nodes[i].name(), i) != null) {
                throw new IllegalArgumentException("duplicate node " + this.nodes[i].name());
            }
        }
    }

    /** The nodes in {@link KnownNode#ORDER}. */
    public Stream<KnownNode> nodes() {
        return Stream.of(nodes);
    }

    /** Replaces the node with that name. */
    public void update(String name, NodeEntry now) {
        @Nullable Integer at = positions.get(name);
        if (at == null) {
            throw new IllegalArgumentException("unknown node " + name);
        }
        nodes[at] = nodes[at].with(now);
    }

    /** The pod takes these cards. */
    public void take(Chosen chosen) {
        String uid = "taken-" + taken++;
        update(chosen.node(), chosen.cards().after(new PodRef(uid, "", uid)));
    }

    /** The best cards; empty if the pod fits no node. It reserves nothing: {@link #take} does. */
    public Optional<Chosen> choose(Scoring now, PodRequest pod) {
        return choose(now, pod, _ -> true);
    }

    /** The best cards on the nodes that accept the pod. */
    public Optional<Chosen> choose(Scoring now, PodRequest pod, Predicate<KnownNode> accepts) {
        @Nullable Chosen chosen = null;
        double least = Double.POSITIVE_INFINITY;
        @Nullable Known[] known = known(now, pod);
        for (int i = 0; i < nodes.length; i++) {
            @Nullable Known before = known[i];
            if (before == null || !before.node.equals(nodes[i])) {
                before = new Known(nodes[i], now.best(nodes[i].entry(), pod));
                known[i] = before;
            }
            @Nullable CardChoice cards = before.best.choice();
            if (cards != null
                    && (chosen == null || before.best.cost() < least - Scoring.SAME)
                    && accepts.test(nodes[i])) {
                chosen = new Chosen(nodes[i].name(), cards);
                least = before.best.cost();
            }
        }
        return Optional.ofNullable(chosen);
    }

    private @Nullable Known[] known(Scoring now, PodRequest pod) {
        if (!now.equals(scoring) || (kinds.size() >= MAX_KINDS && !kinds.containsKey(pod))) {
            kinds.clear();
            scoring = now;
        }
        return kinds.computeIfAbsent(pod, any -> new @Nullable Known[nodes.length]);
    }
}
