package io.gpushare.extender.policy;

import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.capacity.FreeNodes;
import io.gpushare.extender.capacity.PodRequest;
import io.gpushare.extender.policy.scoring.Scoring;

/** What a pod costs on each of some nodes, whichever order they are named in; good until their numbers are changed. */
public final class NodeCosts {
    private final FreeNodes rooms;
    private final int[] numbers;
    private final int size;
    private final double[] byNumber;
    private final double nowhere;
    private final boolean oneWinner;
    private final double least;
    private final double highest;

    /**
     * Those costs of the nodes with the first of these numbers.
     *
     * @param byNumber what the pod costs on the node of each number; infinite where it doesn't fit
     * @param nowhere what it costs where a number is below 0
     */
    NodeCosts(FreeNodes rooms, int[] numbers, int size, double[] byNumber, double nowhere, PodRequest pod) {
        this.rooms = rooms;
        this.numbers = numbers;
        this.size = size;
        this.byNumber = byNumber;
        this.nowhere = nowhere;
        this.oneWinner = pod.gpu();
        double low = Double.POSITIVE_INFINITY;
        double high = Double.NEGATIVE_INFINITY;
        for (int i = 0; i < size; i++) {
            double cost = cost(numbers[i]);
            low = cost < low ? cost : low;
            high = cost > high && cost < Double.POSITIVE_INFINITY ? cost : high;
        }
        least = low;
        highest = high;
    }

    /** The same, but that the pod costs so much on the node with that number. */
    public NodeCosts with(int number, double cost, PodRequest pod) {
        double[] changed = byNumber.clone();
        changed[number] = cost;
        return new NodeCosts(rooms, numbers, size, changed, nowhere, pod);
    }

    private double cost(int number) {
        return number < 0 ? nowhere : byNumber[number];
    }

    /** What the pod costs on the node at that place; infinite where it doesn't fit. */
    public double at(int place) {
        return cost(numbers[place]);
    }

    /** The place of the node that costs least, of equals the first in {@link FreeNode#ORDER}; -1 if the pod fits none. */
    public int cheapest() {
        int best = -1;
        double most = Math.min(least + Scoring.SAME, Double.MAX_VALUE);
        for (int i = 0; i < size; i++) {
            if (cost(numbers[i]) <= most && (best < 0 || isBefore(numbers[i], numbers[best]))) {
                best = i;
            }
        }
        return best;
    }

    private boolean isBefore(int one, int other) {
        return one >= 0 && (other < 0 || rooms.isBefore(one, other));
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
        int[] scores = new int[size];
        double range = highest - least;
        boolean same = range <= Scoring.SAME;
        double first = (same ? most : 0) + Scoring.SAME;
        double each = same ? 0 : most / range;
        for (int i = 0; i < scores.length; i++) {
            double cost = cost(numbers[i]);
            if (cost < Double.POSITIVE_INFINITY) {
                scores[i] = (int) (first + (highest - cost) * each);
            }
        }
        return scores;
    }
}
