package io.gpushare.extender.placement;

import io.gpushare.extender.capacity.PodRequest;
import io.gpushare.extender.feasibility.FilterResult;
import io.gpushare.extender.policy.scoring.Scoring;
import io.gpushare.model.Demand;
import java.util.Arrays;
import java.util.stream.IntStream;

/** The nodes that a request names, in its order, as indices into {@link ClusterNodes}. */
public final class NodeIndices {
    private final ClusterNodes nodes;
    private final int[] indices;

    /** @param indices {@link ClusterNodes#UNKNOWN} for nodes that are not known */
    NodeIndices(ClusterNodes nodes, int[] indices) {
        this.nodes = nodes;
        this.indices = indices;
    }

    /** How many nodes the request names. */
    public int size() {
        return indices.length;
    }

    /** The index of the node at that place of the request; {@link ClusterNodes#UNKNOWN} for an unknown node. */
    public int index(int place) {
        return indices[place];
    }

    /** The name of the node at that place; the node is known. */
    public String name(int place) {
        return nodes.name(indices[place]);
    }

    /** What the pod costs on each node. */
    public NodeCosts costs(Scoring scoring, PodRequest pod) {
        return nodes.costs().of(indices, scoring, pod);
    }

    /** Which nodes can take the demand. */
    public FilterResult.Draft filter(Demand demand) {
        return nodes.filter(indices, demand);
    }

    /**
     * The place of the node of the cluster where the pod costs least; -1 if it fits none, or the request does not name
     * it.
     */
    public int cheapestOfAll(Scoring scoring, PodRequest pod) {
        int cheapest = nodes.costs().cheapest(scoring, pod);
        int[] places = cheapest < 0 ? new int[0] : places(cheapest).limit(1).toArray();
        return places.length == 0 ? -1 : places[0];
    }

    /** The places of that node: one for each time that the request names it. */
    public int[] places(String name) {
        int index = nodes.index(name);
        return index < 0 ? new int[0] : places(index).toArray();
    }

    private IntStream places(int index) {
        return IntStream.range(0, indices.length).filter(place -> indices[place] == index);
    }

    /** The nodes at these places. */
    public NodeIndices at(int[] places) {
        return new NodeIndices(
                nodes, Arrays.stream(places).map(place -> indices[place]).toArray());
    }
}
