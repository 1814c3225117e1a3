package io.gpushare.extender.placement;

import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.capacity.PodRequest;
import io.gpushare.extender.policy.scoring.Scoring;

/** What a pod costs on each node of a request, and the scores that follow from it. */
public final class NodeCosts {
    private final ClusterNodes nodes;
    private final int[] indices;
    private final double[] byIndex;
    private final double unknown;
    private final boolean oneWinner;
    private final double lowest;
    private final double highest;

    /**
     * The costs of the nodes with these indices.
     *
     * @param byIndex what the pod costs on the node with each index; infinite where it does not fit
     * @param unknown what it costs where an index is below 0
     */
    NodeCosts(ClusterNodes nodes, int[] indices, double[] byIndex, double unknown, PodRequest pod) {
        this.nodes = nodes;
        this.indices = indices;
        this.byIndex = byIndex;
        this.unknown = unknown;
        this.oneWinner = pod.gpu();
        double low = Double.POSITIVE_INFINITY;
        double high = Double.NEGATIVE_INFINITY;
        for (int index : indices) {
            double cost = cost(index);
            low = cost < low ? cost : low;
            high = cost > high && cost < Double.POSITIVE_INFINITY ? cost : high;
        }
        lowest = low;
        highest = high;
    }

    /** The same costs, except on the node with that index. */
    public NodeCosts with(int index, double cost, PodRequest pod) {
        double[] changed = byIndex.clone();
        changed[index] = cost;
        return new NodeCosts(nodes, indices, changed, unknown, pod);
    }

    private double cost(int index) {
        return index < 0 ? unknown : byIndex[index];
    }

    /** What the pod costs on the node at that place of the request; infinite if it does not fit. */
    public double at(int place) {
        return cost(indices[place]);
    }

    /**
     * The place of the node that costs least, among equal nodes the first in {@link FreeNode#ORDER}; -1 if the pod fits
     * none.
     */
    public int cheapest() {
        int best = -1;
        double limit = Math.min(lowest + Scoring.SAME, Double.MAX_VALUE);
        for (int place = 0; place < indices.length; place++) {
            if (at(place) <= limit && (best < 0 || isBefore(indices[place], indices[best]))) {
                best = place;
            }
        }
        return best;
    }

    private boolean isBefore(int one, int other) {
        return one >= 0 && (other < 0 || nodes.isBefore(one, other));
    }

    /**
     * A score for each node: {@code most} for the cheapest node alone, lower in even steps by cost for the others, 0
     * where the pod does not fit. For a pod without cards, each of the cheapest nodes has {@code most}.
     */
    public int[] scores(int most) {
        int best = cheapest();
        if (!oneWinner || best < 0) {
            return steps(most);
        }
        int[] scores = steps(most - 1);
        scores[best] = most;
        return scores;
    }

    private int[] steps(int most) {
        int[] scores = new int[indices.length];
        double range = highest - lowest;
        boolean same = range <= Scoring.SAME;
        double first = (same ? most : 0) + Scoring.SAME;
        double each = same ? 0 : most / range;
        for (int place = 0; place < scores.length; place++) {
            double cost = at(place);
            if (cost < Double.POSITIVE_INFINITY) {
                scores[place] = (int) (first + (highest - cost) * each);
            }
        }
        return scores;
    }
}
