package io.gpushare.extender.pod;

import io.gpushare.model.Demand;
import io.gpushare.model.PodRef;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A pod for which kube-scheduler found no node, for people.
 *
 * @param demand null where what is written on the pod makes no demand
 * @param fault what is wrong with what is written on the pod, so that no node will do; null where that is right
 */
public record WaitingPod(
        PodRef ref,
        PodPriority rank,
        @Nullable Demand demand,
        @Nullable String fault) {
    public WaitingPod {
        Objects.requireNonNull(ref);
        Objects.requireNonNull(rank);
        if ((demand == null) == (fault == null)) {
            throw new IllegalArgumentException("a waiting pod has a demand, or a fault instead");
        }
    }
}
