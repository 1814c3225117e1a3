package io.gpushare.kubernetes.eviction;

import static io.gpushare.kubernetes.wire.Json.text;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.kubernetes.wire.Json;
import io.gpushare.kubernetes.wire.PodJson;
import io.gpushare.model.PodRef;
import io.gpushare.model.node.NodeRules;
import io.gpushare.model.node.SchedulerOnly;
import io.gpushare.model.request.ContainerResources;
import io.gpushare.model.request.PodAnnotations;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A pod with what decides whether others are evicted for it, or it for others.
 *
 * @param node the node to which it is bound; null before
 * @param ended whether its phase is Succeeded or Failed
 * @param annotations those that this project reads
 * @param containers in the order in which they start
 */
public record PodDetails(
        PodRef ref,
        @Nullable String node,
        boolean ended,
        boolean deleting,
        int priority,
        Map<String, String> labels,
        Map<String, String> annotations,
        List<ContainerResources> containers,
        Preemption preemption,
        Requirements requirements) {
    private static final String MIRROR = "kubernetes.io/config.mirror";
    private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
    // Kubernetes' default.
    private static final long GRACE = 30;

    /**
     * How it preempts others, and others preempt it.
     *
     * @param allowed false with preemptionPolicy Never
     * @param mirror whether it is a kubelet's static pod, which can't be evicted
     * @param grace how long it may take to end
     */
    public record Preemption(boolean allowed, boolean mirror, Duration grace) {}

    /**
     * What it requires of a node, apart from resources.
     *
     * @param rules the nodes that it accepts
     * @param unknown what else kube-scheduler requires for it, which only kube-scheduler can decide; null for nothing
     */
    public record Requirements(NodeRules rules, @Nullable SchedulerOnly unknown) {}

    public PodDetails {
        labels = Map.copyOf(labels);
        annotations = Map.copyOf(annotations);
        containers = List.copyOf(containers);
    }

    /** The names of the resources that its containers request. */
    public Set<String> requests() {
        return containers.stream()
                .flatMap(container -> container.quantities().keySet().stream())
                .collect(Collectors.toUnmodifiableSet());
    }

    /** A pod of the API. */
    public static PodDetails of(JsonNode json) {
        PodJson pod = new PodJson(json);
        Map<String, String> annotations = pod.annotations();
        annotations.keySet().removeIf(PodAnnotations::unknown);
        JsonNode spec = pod.spec();
        return new PodDetails(
                pod.ref(),
                pod.node(),
                pod.ended(),
                pod.deleting(),
                pod.priority(),
                Json.texts(pod.metadata(), "labels"),
                annotations,
                pod.containers(),
                new Preemption(
                        !text(spec, "preemptionPolicy").equals("Never"),
                        pod.metadata().path("annotations").has(MIRROR),
                        Duration.ofSeconds(Math.max(
                                0, spec.path("terminationGracePeriodSeconds").asLong(GRACE)))),
                new Requirements(pod.nodeRules(), unknown(pod)));
    }

    private static @Nullable SchedulerOnly unknown(PodJson pod) {
        JsonNode spec = pod.spec();
        JsonNode affinity = spec.path("affinity");
        if (!affinity.path("podAffinity").path(REQUIRED).isEmpty()
                || !affinity.path("podAntiAffinity").path(REQUIRED).isEmpty()) {
            return SchedulerOnly.POD_AFFINITY;
        }
        if (spec.path("topologySpreadConstraints")
                .valueStream()
                .anyMatch(each -> !text(each, "whenUnsatisfiable").equals("ScheduleAnyway"))) {
            return SchedulerOnly.TOPOLOGY_SPREAD;
        }
        if (pod.containerSpecs()
                .flatMap(container -> container.path("ports").valueStream())
                .anyMatch(port -> port.path("hostPort").asInt() != 0)) {
            return SchedulerOnly.HOST_PORT;
        }
        // Whether kube-scheduler checks where a volume can be.
        if (spec.path("volumes")
                .valueStream()
                .flatMap(volume -> volume.propertyStream().map(Map.Entry::getKey))
                .anyMatch(SchedulerOnly::placed)) {
            return SchedulerOnly.PLACED_VOLUME;
        }
        if (!spec.path("resourceClaims").isEmpty()) {
            return SchedulerOnly.RESOURCE_CLAIM;
        }
        return spec.path("overhead").isEmpty() ? null : SchedulerOnly.OVERHEAD;
    }
}
