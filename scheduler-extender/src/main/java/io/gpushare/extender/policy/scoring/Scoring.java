package io.gpushare.extender.policy.scoring;

import io.gpushare.extender.capacity.Candidate;

/**
 * What a policy thinks at one moment: what it would cost to put a pod there. Lower is better; equal within {@link #SAME}
 * are equal. A pure function of its argument.
 */
@FunctionalInterface
public interface Scoring {
    /** Costs that differ by no more than that are the same: sums of fractions differ in their last digits. */
    double SAME = 1e-6;

    double cost(Candidate way);
}
