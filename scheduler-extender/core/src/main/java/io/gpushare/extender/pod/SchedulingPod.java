package io.gpushare.extender.pod;

import io.gpushare.model.PodRef;
import io.gpushare.model.request.ContainerResources;
import java.util.List;
import java.util.Map;

/**
 * The pod of a request of kube-scheduler, reduced to the fields that the extender uses.
 *
 * @param priority spec.priority
 */
public record SchedulingPod(
        PodRef ref,
        int priority,
        Map<String, String> annotations,
        List<ContainerResources> containers,
        PodTraits traits) {
    public SchedulingPod {
        annotations = Map.copyOf(annotations);
        containers = List.copyOf(containers);
    }

    /** A pod that states nothing else for kube-scheduler. */
    public SchedulingPod(
            PodRef ref, int priority, Map<String, String> annotations, List<ContainerResources> containers) {
        this(ref, priority, annotations, containers, PodTraits.NONE);
    }

    /** A pod of priority 0. */
    public SchedulingPod(PodRef ref, Map<String, String> annotations, List<ContainerResources> containers) {
        this(ref, 0, annotations, containers);
    }
}
