package io.gpushare.extender.placement;

import java.util.function.LongSupplier;

/** What became of earlier placements: filter and bind avoid what failed before, and bind waits for cards just left. */
public record PlacementOutcomes(FilterAttempts attempts, AdmissionBackoff admissions, LeftCards left) {
    /** @param nanos a monotonic clock */
    public PlacementOutcomes(LongSupplier nanos) {
        this(new FilterAttempts(), new AdmissionBackoff(nanos), new LeftCards(nanos));
    }

    /** The pod is gone, or needs no further placement. */
    public void forget(String podUid) {
        attempts.forget(podUid);
        admissions.forget(podUid);
    }
}
