package io.gpushare.extender.policy.scoring;

import io.gpushare.extender.capacity.Candidate;
import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.capacity.PodRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What it costs, by a policy's knowledge at one moment, to place a pod: a pure function. The lowest cost is best. */
@FunctionalInterface
public interface Scoring {
    /** Costs that differ by no more than this are equal: sums of fractions differ in their last digits. */
    double SAME = 1e-6;

    double cost(Candidate candidate);

    /**
     * The candidate of lowest cost on one node.
     *
     * @param candidate null if the pod does not fit
     * @param cost infinite if the pod does not fit
     */
    record Best(@Nullable Candidate candidate, double cost) {}

    /** The cheapest of a node's candidates, the first of equals. */
    default Best best(FreeNode node, PodRequest pod) {
        return best(node.candidates(pod));
    }

    /** The cheapest of these candidates, the first of equals. */
    default Best best(List<Candidate> candidates) {
        @Nullable Candidate best = null;
        double least = Double.POSITIVE_INFINITY;
        for (Candidate candidate : candidates) {
            double cost = cost(candidate);
            if (best == null || cost < least - SAME) {
                best = candidate;
                least = cost;
            }
        }
        return new Best(best, least);
    }
}
