package io.gpushare.extender.pod;

import io.gpushare.model.Allocation;
import io.gpushare.model.Demand;
import io.gpushare.model.codec.AllocationCodec;
import io.gpushare.model.codec.Decoded;
import org.jspecify.annotations.Nullable;

/**
 * What a bound pod's annotation says of its cards: an allocation, a complaint, or nothing of either.
 *
 * @param allocation what the pod holds; null when that is not written, or not believed
 * @param complaint why what is written is not believed
 */
public record AllocationAnnotation(
        @Nullable Allocation allocation, @Nullable String complaint) {
    private static final AllocationAnnotation NONE = new AllocationAnnotation(null, null);
    private static final String UNTIL = "it is ignored until the node's device plugin has corrected it; should that not"
            + " happen within a minute, create the pod anew";

    /** An annotation is believed when the pod is bound and the annotation is its demand: anyone may write annotations. */
    public static AllocationAnnotation of(ClusterPod pod, Demand demand) {
        if (pod.node() == null) {
            return NONE;
        }
        return switch (AllocationCodec.decode(pod.annotations())) {
            case Decoded.Absent<Allocation>() -> NONE;
            case Decoded.Malformed<Allocation>(String reason) -> new AllocationAnnotation(null, reason + "; " + UNTIL);
            case Decoded.Valid<Allocation>(Allocation allocation) ->
                allocation.gives(demand)
                        ? new AllocationAnnotation(allocation, null)
                        : new AllocationAnnotation(
                                null, "the allocation in its annotation is not what its containers ask for; " + UNTIL);
        };
    }
}
