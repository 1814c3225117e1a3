package io.gpushare.kubernetes;

import static io.gpushare.kubernetes.wire.Json.text;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.kubernetes.wire.Json;
import io.gpushare.kubernetes.wire.PodJson;
import io.gpushare.model.PodController;
import io.gpushare.model.PodRef;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.model.node.NodeRules;
import io.gpushare.model.node.PodConstraints;
import io.gpushare.model.request.ContainerResources;
import io.gpushare.model.request.PodAnnotations;
import io.gpushare.model.text.Printable;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A pod in the API, reduced to the fields that the programs use.
 *
 * @param metrics host and port where a running device plugin serves its metrics; null for other pods
 */
public record PodState(
        PodRef ref,
        Metadata metadata,
        Spec spec,
        Status status,
        @Nullable String metrics) {
    // The label of our device plugin's pods.
    private static final String PLUGIN = "gpu-share-device-plugin";
    private static final int LONGEST_FAILURE = 400;
    private static final int LONGEST_CONDITION = 1000;

    /**
     * What its metadata says.
     *
     * @param deleting whether its deletion was requested; its containers may still run
     * @param controller null for a pod that no controller would create again
     * @param annotations those that the programs read
     */
    public record Metadata(
            Instant created, boolean deleting, @Nullable PodController controller, Map<String, String> annotations) {
        public Metadata {
            annotations = Map.copyOf(annotations);
        }
    }

    /**
     * What its owner and its scheduler require.
     *
     * @param node the node to which it is bound; null before
     * @param priority 0 where the API has none
     * @param containers in the order in which they start: init containers and sidecars in the order of the spec, then
     *     the apps
     * @param ownJaxFraction the names of its containers that set {@link ContainerResources#JAX_FRACTION} themselves
     * @param constraints those of an unbound pod
     */
    public record Spec(
            @Nullable String node,
            int priority,
            List<ContainerResources> containers,
            Set<String> ownJaxFraction,
            PodConstraints constraints) {
        public Spec {
            containers = List.copyOf(containers);
            ownJaxFraction = Set.copyOf(ownJaxFraction);
        }

        /** Without containers that set the variable themselves. */
        public Spec(@Nullable String node, int priority, List<ContainerResources> containers) {
            this(node, priority, containers, Set.of(), PodConstraints.NONE);
        }

        private Spec watched() {
            return new Spec(node, priority, containers, ownJaxFraction, constraints.withoutCondition());
        }
    }

    /**
     * What its kubelet and its scheduler report.
     *
     * @param ended whether its phase is Succeeded or Failed: its containers do not run again
     * @param admission how far its kubelet is with it
     * @param refused whether its scheduler found no node for it (condition PodScheduled, reason Unschedulable)
     * @param failure what its scheduler last wrote about a failed attempt (condition PodScheduled), shortened: changes
     *     with what it writes; of a pod that ended, the message of its kubelet if that could not allocate its devices;
     *     empty for nothing
     * @param started the names of the started containers by container ID, without the runtime's prefix; empty where the
     *     pods of all nodes are watched
     * @param nominatedNode the node on which its scheduler expects it to fit soon; null for none
     * @param heldNode the node on which cards are held for it, because pods were evicted there; null for none
     * @param deadline when it will have ended at the latest: its deletionTimestamp, or when its
     *     spec.activeDeadlineSeconds and its grace period will have passed; null for never
     */
    public record Status(
            boolean ended,
            Admission admission,
            boolean refused,
            String failure,
            Map<String, String> started,
            @Nullable String nominatedNode,
            @Nullable String heldNode,
            @Nullable Instant deadline) {
        public Status {
            started = Map.copyOf(started);
        }
    }

    /** How far the kubelet is with a pod. */
    public enum Admission {
        /** It has not reported the pod. */
        PENDING,
        /** It runs, starts or has run the pod's containers. */
        ADMITTED,
        /** It failed the pod without any container. */
        REJECTED;

        private static Admission of(PodJson pod) {
            boolean reported = pod.containerStatuses().findAny().isPresent();
            if (reported || pod.phase("Running") || pod.phase("Succeeded")) {
                return ADMITTED;
            }
            return pod.phase("Failed") && pod.status().hasNonNull("reason") ? REJECTED : PENDING;
        }
    }

    /** A pod of the program's own node. */
    static PodState of(JsonNode json) {
        PodJson pod = new PodJson(json);
        return new PodState(
                pod.ref(),
                new Metadata(
                        Objects.requireNonNullElse(Json.time(pod.metadata(), "creationTimestamp"), Instant.EPOCH),
                        pod.deleting(),
                        controller(pod),
                        annotations(pod)),
                new Spec(
                        pod.node(),
                        pod.priority(),
                        pod.containers(),
                        pod.containersWith(ContainerResources.JAX_FRACTION),
                        constraints(pod)),
                new Status(
                        pod.ended(),
                        Admission.of(pod),
                        pod.condition("PodScheduled", "False")
                                .filter(each -> text(each, "reason").equals("Unschedulable"))
                                .isPresent(),
                        failure(pod),
                        started(pod),
                        pod.nominatedNode(),
                        pod.node() == null ? held(pod) : null,
                        deadline(pod)),
                metrics(pod));
    }

    /** The same for pods of all nodes, without what only a pod's own node needs. */
    static PodState ofAnyNode(JsonNode json) {
        PodState pod = of(json);
        if (pod.status().ended()) {
            return pod.identity();
        }
        Map<String, String> annotations = pod.metadata().annotations();
        if (annotations.containsKey(AnnotationKeys.ALLOCATION)) {
            annotations = annotations.entrySet().stream()
                    .filter(entry -> !AnnotationKeys.legacy(entry.getKey()))
                    .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
        }
        Metadata metadata = pod.metadata();
        Status status = pod.status();
        return new PodState(
                pod.ref(),
                new Metadata(metadata.created(), metadata.deleting(), metadata.controller(), annotations),
                pod.spec().watched(),
                new Status(
                        status.ended(),
                        status.admission(),
                        status.refused(),
                        status.failure(),
                        Map.of(),
                        status.nominatedNode(),
                        status.heldNode(),
                        status.deadline()),
                pod.metrics());
    }

    /**
     * Without annotations, controller and containers: all that is used of a pod that is gone, which the kubelet may
     * still list, and of one of another node that ended.
     */
    PodState identity() {
        return new PodState(
                ref,
                new Metadata(metadata.created(), metadata.deleting(), null, Map.of()),
                new Spec(spec.node(), spec.priority(), List.of()),
                new Status(
                        status.ended(),
                        status.admission(),
                        status.refused(),
                        status.failure(),
                        Map.of(),
                        status.nominatedNode(),
                        null,
                        null),
                metrics);
    }

    private static String failure(PodJson pod) {
        if (pod.ended()) {
            boolean unallocated = text(pod.status(), "reason").equals("UnexpectedAdmissionError");
            return unallocated ? Printable.line(text(pod.status(), "message"), LONGEST_FAILURE) : "";
        }
        return pod.condition("PodScheduled", "False").map(PodState::shortened).orElse("");
    }

    /** A condition in a few characters. */
    private static String shortened(JsonNode condition) {
        return text(condition, "lastTransitionTime") + " "
                + Integer.toHexString((text(condition, "reason") + text(condition, "message")).hashCode());
    }

    /** What the owner requires matters until the pod has cards, and nobody but the scheduler gives it cards. */
    private static Map<String, String> annotations(PodJson pod) {
        Map<String, String> annotations = pod.annotations();
        if (pod.node() == null) {
            annotations.remove(AnnotationKeys.ALLOCATION);
            return annotations;
        }
        annotations.keySet().removeIf(PodAnnotations::unknown);
        if (annotations.containsKey(AnnotationKeys.ALLOCATION)) {
            annotations.keySet().removeAll(PodAnnotations.selectors());
        }
        return annotations;
    }

    private static @Nullable PodController controller(PodJson pod) {
        return pod.metadata()
                .path("ownerReferences")
                .valueStream()
                .filter(owner -> owner.path("controller").asBoolean())
                .findFirst()
                .map(owner -> new PodController(
                        Json.shared(owner, "kind"), Json.shared(owner, "name"), Json.shared(owner, "uid")))
                .orElse(null);
    }

    private static @Nullable String held(PodJson pod) {
        return pod.condition(PodJson.HELD, "True")
                .map(condition -> text(condition, "message"))
                .filter(message -> message.indexOf(':') > 0)
                .map(message -> message.substring(0, message.indexOf(':')).intern())
                .orElse(null);
    }

    private static PodConstraints constraints(PodJson pod) {
        if (pod.node() != null || pod.ended()) {
            return PodConstraints.NONE;
        }
        NodeRules rules = pod.nodeRules();
        return new PodConstraints(
                rules.size() > NodeRules.MOST ? NodeRules.ANY : rules,
                pod.gates(),
                pod.group(),
                pod.condition("PodScheduled", "False")
                        .map(each -> Printable.line(text(each, "message"), LONGEST_CONDITION))
                        .orElse(""));
    }

    private static @Nullable Instant deadline(PodJson pod) {
        @Nullable Instant deleted = Json.time(pod.metadata(), "deletionTimestamp");
        return deleted != null ? deleted : activeDeadline(pod);
    }

    private static @Nullable Instant activeDeadline(PodJson pod) {
        @Nullable Instant start = Json.time(pod.status(), "startTime");
        if (start == null || !pod.spec().hasNonNull("activeDeadlineSeconds")) {
            return null;
        }
        try {
            return start.plusSeconds(seconds(pod, "activeDeadlineSeconds"))
                    .plusSeconds(seconds(pod, "terminationGracePeriodSeconds"));
        } catch (DateTimeException _) {
            return null; // a start at the end of time
        }
    }

    /** The range that the API server accepts, or more. */
    private static long seconds(PodJson pod, String field) {
        return Math.clamp(pod.spec().path(field).asLong(), 0, Integer.MAX_VALUE);
    }

    /** The names of its started containers by container ID. */
    private static Map<String, String> started(PodJson pod) {
        // containerd://<id>, cri-o://<id>, docker://<id>; empty until the container has started.
        return pod.containerStatuses()
                .filter(each -> !text(each, "containerID").isEmpty())
                .collect(Collectors.toMap(
                        each -> text(each, "containerID").replaceFirst("^[^/]*//", ""),
                        each -> text(each, "name"),
                        (_, last) -> last));
    }

    /** The host and port of a device plugin's metrics, from the labels and the annotation of our manifest. */
    private static @Nullable String metrics(PodJson pod) {
        String ip = text(pod.status(), "podIP");
        JsonNode labels = pod.metadata().path("labels");
        String port = pod.annotations().getOrDefault(AnnotationKeys.METRICS_PORT, "");
        boolean plugin = text(labels, "app").equals("gpushare")
                && text(labels, "component").equals(PLUGIN);
        if (!plugin || ip.isEmpty() || !port.matches("[0-9]{1,5}")) {
            return null;
        }
        return (ip.contains(":") ? "[" + ip + "]" : ip) + ":" + port;
    }
}
