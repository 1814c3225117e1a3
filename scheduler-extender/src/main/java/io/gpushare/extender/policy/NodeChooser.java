package io.gpushare.extender.policy;

import io.gpushare.extender.capacity.Candidate;
import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.capacity.PodRequest;
import io.gpushare.extender.policy.scoring.Scoring;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The nodes of a cluster in their fixed order, and the choice among them: the least cost, the first of equals. */
public final class NodeChooser {
    // A trace has some hundreds.
    private static final int MOST_KINDS = 512;

    private final FreeNode[] nodes;
    private final Map<String, Integer> positions = new HashMap<>();
    // What each node answered last to each kind of pod, by its position; all of one scoring.
    private final Map<PodRequest, @Nullable Known[]> kinds = new HashMap<>();
    private @Nullable Scoring scoring;

    /** The answer of one node, as it was. */
    private record Known(FreeNode node, FreeNode.Best best) {}

    public NodeChooser(List<FreeNode> nodes) {
        this.nodes = nodes.stream().sorted(FreeNode.ORDER).toArray(FreeNode[]::new);
        for (int i = 0; i < this.nodes.length; i++) {
            if (positions.put(this.nodes[i].name(), i) != null) {
                throw new IllegalArgumentException("node " + this.nodes[i].name() + " is there twice");
            }
        }
    }

    /** The nodes in the order in which they are looked at. */
    public Stream<FreeNode> nodes() {
        return Stream.of(nodes);
    }

    /** That node looks like this now. */
    public void changed(FreeNode node) {
        @Nullable Integer at = positions.get(node.name());
        if (at == null) {
            throw new IllegalArgumentException("node " + node.name() + " is not known");
        }
        nodes[at] = node;
    }

    /** Where the pod goes; empty if it fits nowhere. Nothing is reserved: {@link #changed} does that. */
    public Optional<Candidate> choose(Scoring now, PodRequest pod) {
        @Nullable Candidate way = null;
        double least = Double.POSITIVE_INFINITY;
        @Nullable Known[] known = known(now, pod);
        for (int i = 0; i < nodes.length; i++) {
            @Nullable Known before = known[i];
            if (before == null || !before.node.equals(nodes[i])) {
                before = new Known(nodes[i], nodes[i].best(now, pod));
                known[i] = before;
            }
            FreeNode.Best best = before.best;
            if (best.way() != null && (way == null || best.cost() < least - Scoring.SAME)) {
                way = best.way();
                least = best.cost();
            }
        }
        return Optional.ofNullable(way);
    }

    private @Nullable Known[] known(Scoring now, PodRequest pod) {
        if (!now.equals(scoring) || (kinds.size() >= MOST_KINDS && !kinds.containsKey(pod))) {
            kinds.clear();
            scoring = now;
        }
        return kinds.computeIfAbsent(pod, any -> new @Nullable Known[nodes.length]);
    }
}
