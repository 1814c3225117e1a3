package io.gpushare.kubernetes.eviction;

import io.gpushare.model.PodRef;
import io.gpushare.model.codec.ContainerResources;
import io.gpushare.model.node.NodeRules;
import io.gpushare.model.node.SchedulerOnly;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A pod with what decides whether others are evicted for it, or it for others.
 *
 * @param node the node to which it is bound; null before
 * @param ended whether its phase is Succeeded or Failed
 * @param mirror whether it is a kubelet's static pod, which can't be evicted
 * @param mayPreempt false with preemptionPolicy Never
 * @param grace how long it may take to end
 * @param requests the names of the resources that its containers request
 * @param rules the nodes that it accepts
 * @param annotations those that this project reads
 * @param containers in the order in which they start
 * @param unknown what else kube-scheduler requires for it, which only kube-scheduler can decide; null for nothing
 */
public record PodDetails(
        PodRef ref,
        @Nullable String node,
        boolean ended,
        boolean deleting,
        int priority,
        Map<String, String> labels,
        boolean mirror,
        boolean mayPreempt,
        Duration grace,
        Set<String> requests,
        NodeRules rules,
        Map<String, String> annotations,
        List<ContainerResources> containers,
        @Nullable SchedulerOnly unknown) {
    public PodDetails {
        Objects.requireNonNull(ref);
        Objects.requireNonNull(grace);
        Objects.requireNonNull(rules);
        labels = Map.copyOf(labels);
        requests = Set.copyOf(requests);
        annotations = Map.copyOf(annotations);
        containers = List.copyOf(containers);
    }
}
