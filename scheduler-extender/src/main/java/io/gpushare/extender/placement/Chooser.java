package io.gpushare.extender.placement;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of a cluster in their fixed order, and the choice among them: the least cost, the first of equals. What a
 * node costs a pod is remembered until the node changes or the policy has learned, for the last few kinds of pods.
 */
public final class Chooser {
    private static final int KINDS = 256;

    private final NodeRoom[] nodes;
    private final Map<String, Integer> positions = new HashMap<>();
    private final Map<PodRequest, Remembered> remembered = new HashMap<>();
    private @Nullable Scoring scoring;

    /** What each node costs one kind of pod, as it was when it was asked. */
    private static final class Remembered {
        private final @Nullable NodeRoom[] asked;
        private final @Nullable Way[] best;
        private final double[] costs;

        Remembered(int nodes) {
            asked = new @Nullable NodeRoom[nodes];
            best = new @Nullable Way[nodes];
            costs = new double[nodes];
        }
    }

    public Chooser(List<NodeRoom> nodes) {
        this.nodes = nodes.stream().sorted(NodeRoom.ORDER).toArray(NodeRoom[]::new);
        for (int i = 0; i < this.nodes.length; i++) {
            if (positions.put(this.nodes[i].name(), i) != null) {
                throw new IllegalArgumentException("node " + this.nodes[i].name() + " is there twice");
            }
        }
    }

    /** The nodes in the order in which they are looked at. */
    public Stream<NodeRoom> nodes() {
        return Stream.of(nodes);
    }

    /** That node looks like this now. */
    public void changed(NodeRoom node) {
        @Nullable Integer at = positions.get(node.name());
        if (at == null) {
            throw new IllegalArgumentException("node " + node.name() + " is not known");
        }
        nodes[at] = node;
    }

    /** Where the pod goes; empty if it fits nowhere. Nothing is reserved: {@link #changed} does that. */
    public Optional<Way> choose(Scoring now, PodRequest pod) {
        if (!now.equals(scoring) || (remembered.size() >= KINDS && !remembered.containsKey(pod))) {
            remembered.clear();
            scoring = now;
        }
        Remembered known = remembered.computeIfAbsent(pod, any -> new Remembered(nodes.length));
        @Nullable Way best = null;
        double least = Double.POSITIVE_INFINITY;
        for (int i = 0; i < nodes.length; i++) {
            if (known.asked[i] != nodes[i]) {
                ask(known, i, now, pod);
            }
            if (known.best[i] != null && (best == null || known.costs[i] < least - Scoring.SAME)) {
                best = known.best[i];
                least = known.costs[i];
            }
        }
        return Optional.ofNullable(best);
    }

    private void ask(Remembered known, int i, Scoring now, PodRequest pod) {
        NodeRoom node = nodes[i];
        @Nullable Way best = null;
        double least = Double.POSITIVE_INFINITY;
        for (Way way : node.ways(pod)) {
            double cost = now.cost(way);
            if (best == null || cost < least - Scoring.SAME) {
                best = way;
                least = cost;
            }
        }
        known.asked[i] = node;
        known.best[i] = best;
        known.costs[i] = least;
    }
}
