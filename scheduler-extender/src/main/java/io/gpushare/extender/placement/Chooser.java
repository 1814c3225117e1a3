package io.gpushare.extender.placement;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The nodes of a cluster in their fixed order, and the choice among them: the least cost, the first of equals. */
public final class Chooser {
    private final NodeRoom[] nodes;
    private final Map<String, Integer> positions = new HashMap<>();

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
        @Nullable Way way = null;
        double least = Double.POSITIVE_INFINITY;
        for (NodeRoom node : nodes) {
            NodeRoom.Best best = node.best(now, pod);
            if (best.way() != null && (way == null || best.cost() < least - Scoring.SAME)) {
                way = best.way();
                least = best.cost();
            }
        }
        return Optional.ofNullable(way);
    }
}
