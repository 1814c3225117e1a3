package io.gpushare.extender.placement;

import java.util.List;

/** What a pod costs on each of some nodes, whichever order they are named in. */
public final class Costs {
    private final boolean oneWinner;
    private final CostOfNode[] nodes;
    private final double least;

    /** Works each of them out. */
    public static Costs of(List<NodeRoom> nodes, Scoring scoring, PodRequest pod) {
        int hash = pod.hashCode();
        return new Costs(
                nodes.stream()
                        .map(node -> CostOfNode.of(node, scoring, pod, hash))
                        .toArray(CostOfNode[]::new),
                pod);
    }

    Costs(CostOfNode[] nodes, PodRequest pod) {
        this.nodes = nodes;
        this.oneWinner = pod.gpu();
        double lowest = Double.POSITIVE_INFINITY;
        for (CostOfNode node : nodes) {
            lowest = Math.min(lowest, node.cost());
        }
        least = lowest;
    }

    /** The place of the node that costs least, of equals the first in {@link NodeRoom#ORDER}; -1 if the pod fits none. */
    public int cheapest() {
        int best = -1;
        for (int i = 0; i < nodes.length; i++) {
            double cost = nodes[i].cost();
            if (cost < Double.POSITIVE_INFINITY
                    && cost <= least + Scoring.SAME
                    && (best < 0 || nodes[i].isBefore(nodes[best]))) {
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
        int[] scores = new int[nodes.length];
        double highest = least;
        for (CostOfNode node : nodes) {
            if (node.cost() < Double.POSITIVE_INFINITY) {
                highest = Math.max(highest, node.cost());
            }
        }
        double range = highest - least;
        for (int i = 0; i < scores.length; i++) {
            double cost = nodes[i].cost();
            if (cost < Double.POSITIVE_INFINITY) {
                double part = range <= Scoring.SAME ? 1 : Math.clamp((highest - cost) / range, 0, 1);
                scores[i] = (int) (most * part + Scoring.SAME);
            }
        }
        return scores;
    }
}
