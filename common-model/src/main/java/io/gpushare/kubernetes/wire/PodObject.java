package io.gpushare.kubernetes.wire;

import io.gpushare.kubernetes.wire.PodFields.Condition;
import io.gpushare.kubernetes.wire.PodFields.Container;
import io.gpushare.kubernetes.wire.PodFields.ContainerStatus;
import io.gpushare.kubernetes.wire.PodFields.Spec;
import io.gpushare.kubernetes.wire.PodFields.Status;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.PodController;
import io.gpushare.model.PodRef;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.model.codec.ContainerResources;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A pod in the API's JSON form. */
public final class PodObject extends ApiObject {
    /** The condition of a pod for which cards are held on the node that its message names first. */
    public static final String HELD = "gpushare.io/CardsHeld";

    static final Set<String> LABELS = Set.of("app", "component");

    // The only condition that is kept: one instance for all pods.
    private static final List<Condition> UNSCHEDULABLE = List.of(Condition.ofUnschedulable());
    // The same for pods with containers.
    private static final List<ContainerStatus> REPORTED = List.of(new ContainerStatus());

    // The label of our device plugin's pods.
    private static final String PLUGIN = "gpu-share-device-plugin";

    @Nullable
    Spec spec;

    @Nullable
    Status status;

    // Computed by strip() from fields that it drops.
    @Nullable
    transient String metrics;

    @Nullable
    transient String heldNode;

    @Nullable
    transient Instant deadline;

    @Override
    void strip() {
        metrics = pluginMetrics();
        heldNode = node() == null ? held() : null;
        deadline = activeDeadline();
        if (spec != null) {
            spec.activeDeadlineSeconds = null;
            spec.terminationGracePeriodSeconds = null;
        }
        if (status != null) {
            status.startTime = null;
        }
        if (metadata != null) {
            metadata.setLabels(null);
            if (metadata.getAnnotations() != null) {
                strip(metadata.getAnnotations());
            }
        }
        if (ended()) {
            forget();
            return;
        }
        if (status != null) {
            status.phase = shared(status.phase);
            status.conditions = unschedulable() ? UNSCHEDULABLE : null;
            status.reason = rejected() ? "Rejected" : null;
            status.podIP = null;
            status.nominatedNodeName = shared(status.nominatedNodeName);
        }
        if (spec != null) {
            spec.nodeName = shared(spec.nodeName);
            strip(spec.containers);
            strip(spec.initContainers);
        }
    }

    /** What the owner requires matters until the pod has cards, and nobody but the scheduler gives it cards. */
    private void strip(Map<String, String> annotations) {
        if (node() == null) {
            annotations.remove(AnnotationKeys.ALLOCATION);
            return;
        }
        annotations.keySet().removeIf(AnnotationKeys::unknown);
        if (annotations.containsKey(AnnotationKeys.ALLOCATION)) {
            annotations.keySet().removeAll(AnnotationKeys.SELECTORS);
        }
    }

    /** Leaves also its node and whether it ended: the kubelet may still list a pod that ended. */
    @Override
    public void forget() {
        super.forget();
        heldNode = null;
        deadline = null;
        if (spec != null) {
            spec.containers = null;
            spec.initContainers = null;
        }
        stripContainerStatuses();
    }

    private static void strip(@Nullable List<Container> containers) {
        for (Container container : containers == null ? List.<Container>of() : containers) {
            container.name = shared(container.name);
            container.restartPolicy = shared(container.restartPolicy);
            if (container.resources != null) {
                container.resources.strip();
            }
        }
    }

    /** The host and port of a device plugin's metrics, from the labels and the annotation of our manifest. */
    private @Nullable String pluginMetrics() {
        if (metadata == null || metadata.getLabels() == null || status == null || status.podIP == null) {
            return null;
        }
        Map<String, String> annotations = metadata.getAnnotations() == null ? Map.of() : metadata.getAnnotations();
        String port = annotations.getOrDefault(AnnotationKeys.METRICS_PORT, "");
        boolean plugin = "gpushare".equals(metadata.getLabels().get("app"))
                && PLUGIN.equals(metadata.getLabels().get("component"));
        if (!plugin || !port.matches("[0-9]{1,5}")) {
            return null;
        }
        return (status.podIP.contains(":") ? "[" + status.podIP + "]" : status.podIP) + ":" + port;
    }

    /** Whether its scheduler found no node for it: condition PodScheduled with reason Unschedulable. */
    public boolean unschedulable() {
        return status != null
                && status.conditions != null
                && status.conditions.stream().anyMatch(Condition::unschedulable);
    }

    /** Drops the fields that only the pod's own node needs. */
    void stripForAllNodes() {
        if (metadata != null && annotations().containsKey(AnnotationKeys.ALLOCATION)) {
            metadata.getAnnotations().keySet().removeIf(AnnotationKeys::legacy);
        }
        stripContainerStatuses();
    }

    private void stripContainerStatuses() {
        if (status != null) {
            status.containerStatuses = reported() ? REPORTED : null;
            status.initContainerStatuses = null;
        }
    }

    public PodRef ref() {
        return new PodRef(uid(), text(meta().getNamespace()), name());
    }

    /** The node to which it is bound; null before. */
    public @Nullable String node() {
        return spec == null || spec.nodeName == null || spec.nodeName.isEmpty() ? null : spec.nodeName;
    }

    /** The node on which its scheduler expects it to fit soon; null for none. */
    public @Nullable String nominatedNode() {
        return status == null || status.nominatedNodeName == null || status.nominatedNodeName.isEmpty()
                ? null
                : status.nominatedNodeName;
    }

    /** Its controller; null if it has none. */
    public @Nullable PodController controller() {
        List<V1OwnerReference> owners = meta().getOwnerReferences();
        if (owners == null || owners.isEmpty()) {
            return null;
        }
        return new PodController(
                text(owners.getFirst().getKind()), text(owners.getFirst().getUid()));
    }

    /** The node on which cards are held for it until it is bound; null for none. */
    public @Nullable String heldNode() {
        return heldNode;
    }

    private @Nullable String held() {
        if (status == null || status.conditions == null) {
            return null;
        }
        return status.conditions.stream()
                .filter(Condition::held)
                .findFirst()
                .map(condition -> shared(text(condition.message).split(":", 2)[0]))
                .orElse(null);
    }

    /** Whether its phase is Succeeded or Failed. */
    public boolean ended() {
        return status != null && ("Succeeded".equals(status.phase) || "Failed".equals(status.phase));
    }

    public boolean deleting() {
        return meta().getDeletionTimestamp() != null;
    }

    /** When its spec.activeDeadlineSeconds and its grace period will have passed; null without a deadline. */
    public @Nullable Instant deadline() {
        return deadline;
    }

    private @Nullable Instant activeDeadline() {
        if (spec == null || spec.activeDeadlineSeconds == null || status == null || status.startTime == null) {
            return null;
        }
        try {
            return Instant.parse(status.startTime)
                    .plusSeconds(seconds(spec.activeDeadlineSeconds))
                    .plusSeconds(seconds(spec.terminationGracePeriodSeconds));
        } catch (DateTimeException _) {
            return null;
        }
    }

    /** The range that the API server accepts, or more. */
    private static long seconds(@Nullable Long value) {
        return value == null ? 0 : Math.clamp(value, 0, Integer.MAX_VALUE);
    }

    public Instant created() {
        OffsetDateTime created = meta().getCreationTimestamp();
        return created == null ? Instant.EPOCH : created.toInstant();
    }

    public int priority() {
        return spec == null ? 0 : spec.priority;
    }

    /** Where a device plugin's pod serves its metrics; null for other pods. */
    public @Nullable String metrics() {
        return metrics;
    }

    /** Whether its kubelet runs, starts or has run its containers. */
    public boolean admitted() {
        return status != null && ("Running".equals(status.phase) || "Succeeded".equals(status.phase) || reported());
    }

    /** Whether its kubelet failed it without any container. */
    public boolean rejected() {
        return status != null && "Failed".equals(status.phase) && status.reason != null && !reported();
    }

    /** Whether its kubelet has reported a container. */
    private boolean reported() {
        return status != null && (some(status.containerStatuses) || some(status.initContainerStatuses));
    }

    private static boolean some(@Nullable List<ContainerStatus> statuses) {
        return statuses != null && !statuses.isEmpty();
    }

    /** The names of its started containers by container ID. */
    public Map<String, String> started() {
        Map<String, String> names = new HashMap<>();
        if (status != null) {
            putStarted(status.initContainerStatuses, names);
            putStarted(status.containerStatuses, names);
        }
        return names;
    }

    private static void putStarted(@Nullable List<ContainerStatus> statuses, Map<String, String> names) {
        for (ContainerStatus each : statuses == null ? List.<ContainerStatus>of() : statuses) {
            // containerd://<id>, cri-o://<id>, docker://<id>; empty until the container has started.
            if (each.name != null && each.containerID != null && !each.containerID.isEmpty()) {
                names.put(each.containerID.replaceFirst("^[^/]*//", ""), each.name);
            }
        }
    }

    /** The resources of its containers, in the order in which they start. */
    public List<ContainerResources> containers() {
        List<ContainerResources> resources = new ArrayList<>();
        if (spec != null) {
            for (Container init : spec.initContainers == null ? List.<Container>of() : spec.initContainers) {
                boolean sidecar = "Always".equals(init.restartPolicy);
                resources.add(resources(init, sidecar ? ContainerRole.SIDECAR : ContainerRole.INIT));
            }
            for (Container app : spec.containers == null ? List.<Container>of() : spec.containers) {
                resources.add(resources(app, ContainerRole.APP));
            }
        }
        return resources;
    }

    private static ContainerResources resources(Container container, ContainerRole role) {
        Map<String, String> quantities = new HashMap<>();
        if (container.resources != null) {
            put(container.resources.limits, quantities);
            put(container.resources.requests, quantities);
        }
        return new ContainerResources(text(container.name), role, quantities);
    }

    private static void put(@Nullable Map<String, String> from, Map<String, String> into) {
        if (from != null) {
            from.forEach((name, quantity) -> {
                if (quantity != null) {
                    into.put(name, quantity);
                }
            });
        }
    }
}
