package io.gpushare.extender.pod;

import io.gpushare.model.PodRef;
import io.gpushare.model.codec.ContainerResources;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The pod that kube-scheduler looks for a node for, reduced to what is used; {@code priority} is spec.priority. */
public record SchedulingPod(
        PodRef ref, int priority, Map<String, String> annotations, List<ContainerResources> containers) {
    public SchedulingPod {
        Objects.requireNonNull(ref);
        annotations = Map.copyOf(annotations);
        containers = List.copyOf(containers);
    }

    /** A pod of priority 0. */
    public SchedulingPod(PodRef ref, Map<String, String> annotations, List<ContainerResources> containers) {
        this(ref, 0, annotations, containers);
    }
}
