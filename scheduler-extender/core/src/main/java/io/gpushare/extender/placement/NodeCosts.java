package io.gpushare.extender.placement;

import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.policy.KnownNode;
import io.gpushare.extender.policy.Verdict;
import io.gpushare.extender.policy.scoring.Scoring;
import java.util.List;

/** What a pod costs on each node of a request, and the scores that follow from it. */
public final class NodeCosts {
    private final List<KnownNode> nodes;
    private final double[] costs;
    private final boolean oneWinner;
    private final double lowest;
    private final double highest;

    /**
     * The costs on these nodes.
     *
     * @param verdicts on such pods, by place
     */
    public NodeCosts(List<KnownNode> nodes, List<Verdict> verdicts, PodRequest pod) {
        this.nodes = nodes;
        this.costs = verdicts.stream().mapToDouble(Verdict::cost).toArray();
        this.oneWinner = pod.gpu();
        double low = Double.POSITIVE_INFINITY;
        double high = Double.NEGATIVE_INFINITY;
        for (double cost : costs) {
            low = cost < low ? cost : low;
            high = cost > high && cost < Double.POSITIVE_INFINITY ? cost : high;
        }
        lowest = low;
        highest = high;
    }

    /** What the pod costs on the node at that place of the request; infinite if it does not fit. */
    public double at(int place) {
        return costs[place];
    }

    /**
     * The place of the node that costs least, among equal nodes the first in {@link KnownNode#ORDER}; -1 if the pod
     * fits none.
     */
    public int cheapest() {
        int best = -1;
        double limit = Math.min(lowest + Scoring.SAME, Double.MAX_VALUE);
        for (int place = 0; place < costs.length; place++) {
            if (costs[place] <= limit && (best < 0 || KnownNode.ORDER.compare(nodes.get(place), nodes.get(best)) < 0)) {
                best = place;
            }
        }
        return best;
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
        int[] scores = new int[costs.length];
        double range = highest - lowest;
        boolean same = range <= Scoring.SAME;
        double first = (same ? most : 0) + Scoring.SAME;
        double each = same ? 0 : most / range;
        for (int place = 0; place < scores.length; place++) {
            if (costs[place] < Double.POSITIVE_INFINITY) {
                scores[place] = (int) (first + (highest - costs[place]) * each);
            }
        }
        return scores;
    }
}
