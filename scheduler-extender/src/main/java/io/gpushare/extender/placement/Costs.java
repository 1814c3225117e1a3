package io.gpushare.extender.placement;

import java.util.List;

/** What a pod costs on each of some nodes, whichever order they are named in. */
public final class Costs {
    private final List<NodeRoom> nodes;
    private final double[] costs;
    private final double least;
    private final boolean oneWinner;

    public Costs(List<NodeRoom> nodes, Scoring scoring, PodRequest pod) {
        this.nodes = nodes;
        costs = new double[nodes.size()];
        int hash = pod.hashCode();
        double lowest = Double.POSITIVE_INFINITY;
        for (int i = 0; i < costs.length; i++) {
            NodeRoom node = nodes.get(i);
            // A pod without cards takes nothing from a node without them.
            boolean free = !pod.gpu() && node.cards().isEmpty();
            costs[i] = free ? 0 : node.best(scoring, pod, hash).cost();
            lowest = Math.min(lowest, costs[i]);
        }
        least = lowest;
        oneWinner = pod.gpu();
    }

    /** The place of the node that costs least, of equals the first in {@link NodeRoom#ORDER}; -1 if the pod fits none. */
    public int cheapest() {
        int best = -1;
        for (int i = 0; i < costs.length; i++) {
            if (costs[i] < Double.POSITIVE_INFINITY
                    && costs[i] <= least + Scoring.SAME
                    && (best < 0 || nodes.get(i).isBefore(nodes.get(best)))) {
                best = i;
            }
        }
        return best;
    }

    /**
     * A score for each node: {@code most} for the cheapest alone, below that in even steps by cost, 0 where the pod doesn't
     * fit. For a pod without cards each of the cheapest has {@code most}.
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
        double highest = least;
        for (double cost : costs) {
            if (cost < Double.POSITIVE_INFINITY) {
                highest = Math.max(highest, cost);
            }
        }
        double range = highest - least;
        for (int i = 0; i < scores.length; i++) {
            if (costs[i] < Double.POSITIVE_INFINITY) {
                double part = range <= Scoring.SAME ? 1 : Math.clamp((highest - costs[i]) / range, 0, 1);
                scores[i] = (int) (most * part + Scoring.SAME);
            }
        }
        return scores;
    }
}
