package io.gpushare.extender.placement;

/** What a pod costs on each of some nodes, whichever order they are named in. */
public final class Costs {
    private final Rooms rooms;
    private final int[] numbers;
    private final double[] costs;
    private final boolean oneWinner;
    private final double least;

    /**
     * Those costs of the nodes with these numbers.
     *
     * @param numbers below 0 for a node of which nothing is known, and on which nothing fits
     */
    public Costs(Rooms rooms, int[] numbers, double[] costs, PodRequest pod) {
        this.rooms = rooms;
        this.numbers = numbers;
        this.costs = costs;
        this.oneWinner = pod.gpu();
        double lowest = Double.POSITIVE_INFINITY;
        for (double cost : costs) {
            lowest = Math.min(lowest, cost);
        }
        least = lowest;
    }

    /** The place of the node that costs least, of equals the first in {@link NodeRoom#ORDER}; -1 if the pod fits none. */
    public int cheapest() {
        int best = -1;
        double most = Math.min(least + Scoring.SAME, Double.MAX_VALUE);
        for (int i = 0; i < costs.length; i++) {
            if (costs[i] <= most && (best < 0 || isBefore(numbers[i], numbers[best]))) {
                best = i;
            }
        }
        return best;
    }

    private boolean isBefore(int one, int other) {
        if (one < 0 || other < 0) {
            return other < 0 && one >= 0;
        }
        long order = rooms.order(one);
        long otherOrder = rooms.order(other);
        return order != otherOrder
                ? order < otherOrder
                : NodeRoom.ORDER.compare(rooms.room(one), rooms.room(other)) < 0;
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
            double cost = costs[i];
            if (cost < Double.POSITIVE_INFINITY) {
                double part = range <= Scoring.SAME ? 1 : Math.clamp((highest - cost) / range, 0, 1);
                scores[i] = (int) (most * part + Scoring.SAME);
            }
        }
        return scores;
    }
}
