package io.gpushare.extender.pod;

import io.gpushare.model.PodRef;
import io.gpushare.model.pod.PodPriority;

/**
 * A pod for which kube-scheduler found no node, as shown to users.
 *
 * @param demand valid or invalid; a pod without GPU does not wait for the extender
 */
public record WaitingPod(PodRef ref, PodPriority priority, PodDemand demand) {
    public WaitingPod {
        if (demand instanceof PodDemand.NoGpu) {
            throw new IllegalArgumentException("pod " + ref + " requests no GPU");
        }
    }
}
