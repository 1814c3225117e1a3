package io.gpushare.kubernetes.eviction;

import io.gpushare.model.PodRef;
import io.gpushare.model.node.NodeRules;
import java.time.Duration;
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
        @Nullable String unknown) {
    public PodDetails {
        Objects.requireNonNull(ref);
        Objects.requireNonNull(grace);
        Objects.requireNonNull(rules);
        labels = Map.copyOf(labels);
        requests = Set.copyOf(requests);
    }
}
