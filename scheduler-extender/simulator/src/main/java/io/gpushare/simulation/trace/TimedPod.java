package io.gpushare.simulation.trace;

import io.gpushare.extender.pod.PodRequest;

/**
 * A pod of a timeline.
 *
 * @param created when it is created, in seconds
 * @param duration how long it runs once it has a node, in seconds
 */
public record TimedPod(PodRequest request, long created, long duration) {
    public TimedPod {
        if (created < 0 || duration < 0) {
            throw new IllegalArgumentException("a pod has no negative time");
        }
    }

    /** Another pod with the same times. */
    TimedPod with(PodRequest changed) {
        return new TimedPod(changed, created, duration);
    }
}
