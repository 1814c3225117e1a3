package io.gpushare.extender.policy;

import io.gpushare.extender.capacity.Candidate;
import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.capacity.PodRequest;
import io.gpushare.extender.policy.scoring.Scoring;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Chooses among the nodes of a cluster: the lowest cost, and among equal ones the first in {@link FreeNode#ORDER}. */
public final class NodeChooser {
    // A trace has some hundreds.
    private static final int MAX_KINDS = 512;

    private final FreeNode[] nodes;
    private final Map<String, Integer> positions = new HashMap<>();
    // The last result for each kind of pod by node position, all of one scoring.
    private final Map<PodRequest, @Nullable Known[]> kinds = new HashMap<>();
    private @Nullable Scoring scoring;

    /** The result on one node, as the node was then. */
    private record Known(FreeNode node, Scoring.Best best) {}

    public NodeChooser(List<FreeNode> nodes) {
        this.nodes = nodes.stream().sorted(FreeNode.ORDER).toArray(FreeNode[]::new);
        for (int i = 0; i < this.nodes.length; i++) {
            if (positions.put(this.nodes[i].name(), i) != null) {
                throw new IllegalArgumentException("duplicate node " + this.nodes[i].name());
            }
        }
    }

    /** The nodes in {@link FreeNode#ORDER}. */
    public Stream<FreeNode> nodes() {
        return Stream.of(nodes);
    }

    /** Replaces the node with that name. */
    public void update(FreeNode node) {
        @Nullable Integer at = positions.get(node.name());
        if (at == null) {
            throw new IllegalArgumentException("unknown node " + node.name());
        }
        nodes[at] = node;
    }

    /** The best candidate; empty if the pod fits no node. It reserves nothing: {@link #update} does. */
    public Optional<Candidate> choose(Scoring now, PodRequest pod) {
        return choose(now, pod, _ -> true);
    }

    /** The best candidate on the nodes that accept the pod. */
    public Optional<Candidate> choose(Scoring now, PodRequest pod, Predicate<FreeNode> accepts) {
        @Nullable Candidate chosen = null;
        double least = Double.POSITIVE_INFINITY;
        @Nullable Known[] known = known(now, pod);
        for (int i = 0; i < nodes.length; i++) {
            @Nullable Known before = known[i];
            if (before == null || !before.node.equals(nodes[i])) {
                before = new Known(nodes[i], now.best(nodes[i], pod));
                known[i] = before;
            }
            Scoring.Best best = before.best;
            if (best.candidate() != null
                    && (chosen == null || best.cost() < least - Scoring.SAME)
                    && accepts.test(nodes[i])) {
                chosen = best.candidate();
                least = best.cost();
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
