package io.gpushare.extender.pod;

import io.gpushare.model.Allocation;
import io.gpushare.model.Demand;
import io.gpushare.model.codec.AllocationCodec;
import io.gpushare.model.codec.Decoded;
import io.gpushare.model.pod.PodState;
import org.jspecify.annotations.Nullable;

/**
 * The allocation annotation of a bound pod, checked against the pod's demand.
 *
 * @param allocation the accepted allocation; null when the annotation is absent or rejected
 * @param rejection why the annotation is rejected; null otherwise
 */
public record AllocationAnnotation(
        @Nullable Allocation allocation, @Nullable String rejection) {
    private static final AllocationAnnotation ABSENT = new AllocationAnnotation(null, null);
    private static final String IGNORED = "it is ignored until the node's device plugin has corrected it; if that does"
            + " not happen within a minute, recreate the pod";

    /**
     * Accepts an annotation only if the pod is bound and it gives the pod's demand: anyone may write annotations. A pod
     * with claims has the cards of these.
     */
    public static AllocationAnnotation of(PodState pod, Demand demand) {
        if (pod.claims().demand() != null) {
            return new AllocationAnnotation(pod.claims().allocation(), null);
        }
        if (pod.node() == null) {
            return ABSENT;
        }
        return switch (AllocationCodec.decode(pod.annotations())) {
            case Decoded.Absent<Allocation>() -> ABSENT;
            case Decoded.Malformed<Allocation>(String reason) -> rejected(reason);
            case Decoded.Valid<Allocation>(Allocation allocation) ->
                accepted(allocation.withoutExcessPercents(demand), demand);
        };
    }

    private static AllocationAnnotation accepted(Allocation allocation, Demand demand) {
        return allocation.gives(demand)
                ? new AllocationAnnotation(allocation, null)
                : rejected("the allocation in its annotation is not what its containers request");
    }

    private static AllocationAnnotation rejected(String reason) {
        return new AllocationAnnotation(null, reason + "; " + IGNORED);
    }
}
