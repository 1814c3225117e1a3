package io.gpushare.extender.placement;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a pod costs on each of some nodes, whichever order they are named in. Immutable. */
public final class Costs {
    // How many nodes further on one is looked for among those of an earlier answer.
    private static final int AHEAD = 4;

    private final Scoring scoring;
    private final PodRequest pod;
    private final NodeRoom[] nodes;
    private final long[] orders;
    private final double[] costs;
    private final double least;

    public Costs(List<NodeRoom> nodes, Scoring scoring, PodRequest pod) {
        this(nodes, scoring, pod, null);
    }

    /**
     * The same where such a pod was asked about before: what has not changed since is read from there, one number after the
     * other, and no node is touched.
     *
     * @param before of the same scoring and an equal pod
     */
    Costs(List<NodeRoom> nodes, Scoring scoring, PodRequest pod, @Nullable Costs before) {
        this.scoring = scoring;
        this.pod = before == null ? pod : before.pod;
        this.nodes = nodes.toArray(NodeRoom[]::new);
        orders = new long[this.nodes.length];
        costs = new double[this.nodes.length];
        int hash = pod.hashCode();
        int next = 0;
        double lowest = Double.POSITIVE_INFINITY;
        for (int i = 0; i < costs.length; i++) {
            NodeRoom node = this.nodes[i];
            int known = before == null ? -1 : before.place(node, next);
            if (before != null && known >= 0) {
                orders[i] = before.orders[known];
                costs[i] = before.costs[known];
                next = known + 1;
            } else {
                orders[i] = node.order();
                costs[i] = cost(node, hash);
                next++;
            }
            lowest = Math.min(lowest, costs[i]);
        }
        least = lowest;
    }

    private double cost(NodeRoom node, int hash) {
        // A pod without cards takes nothing from a node without them.
        boolean free = !pod.gpu() && node.cards().isEmpty();
        return free ? 0 : node.best(scoring, pod, hash).cost();
    }

    private int place(NodeRoom node, int from) {
        int end = Math.min(from + AHEAD, nodes.length);
        for (int i = from; i < end; i++) {
            if (nodes[i].equals(node)) {
                return i;
            }
        }
        return -1;
    }

    /** Whether they are of that scoring and such a pod. */
    boolean of(Scoring asked, PodRequest request) {
        return scoring.equals(asked) && pod.equals(request);
    }

    /** The place of the node that costs least, of equals the first in {@link NodeRoom#ORDER}; -1 if the pod fits none. */
    public int cheapest() {
        int best = -1;
        for (int i = 0; i < costs.length; i++) {
            if (costs[i] < Double.POSITIVE_INFINITY
                    && costs[i] <= least + Scoring.SAME
                    && (best < 0 || isBefore(i, best))) {
                best = i;
            }
        }
        return best;
    }

    private boolean isBefore(int one, int other) {
        return orders[one] != orders[other]
                ? orders[one] < orders[other]
                : NodeRoom.ORDER.compare(nodes[one], nodes[other]) < 0;
    }

    /**
     * A score for each node: {@code most} for the cheapest alone, below that in even steps by cost, 0 where the pod doesn't
     * fit. For a pod without cards each of the cheapest has {@code most}.
     */
    public int[] scores(int most) {
        int best = cheapest();
        if (!pod.gpu() || best < 0) {
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
