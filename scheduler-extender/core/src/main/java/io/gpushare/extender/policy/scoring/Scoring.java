package io.gpushare.extender.policy.scoring;

import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.pod.PodRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What it costs, by a policy's knowledge at one moment, to place a pod: a pure function. The lowest cost is best. */
@FunctionalInterface
public interface Scoring {
    /** Costs that differ by no more than this are equal: sums of fractions differ in their last digits. */
    double SAME = 1e-6;

    double cost(CardChoice choice);

    /**
     * The choice of lowest cost on one node.
     *
     * @param choice null if the pod does not fit
     * @param cost infinite if the pod does not fit
     */
    record Best(@Nullable CardChoice choice, double cost) {}

    /** The cheapest of a node's choices, the first of equals. */
    default Best best(NodeEntry node, PodRequest pod) {
        return best(CardChoice.of(node, pod));
    }

    /** The cheapest of these choices, the first of equals. */
    default Best best(List<CardChoice> choices) {
        @Nullable CardChoice best = null;
        double least = Double.POSITIVE_INFINITY;
        for (CardChoice choice : choices) {
            double cost = cost(choice);
            if (best == null || cost < least - SAME) {
                best = choice;
                least = cost;
            }
        }
        return new Best(best, least);
    }
}
