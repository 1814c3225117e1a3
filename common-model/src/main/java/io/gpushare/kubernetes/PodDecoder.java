package io.gpushare.kubernetes;

import static io.gpushare.kubernetes.wire.Json.text;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.kubernetes.wire.Json;
import io.gpushare.kubernetes.wire.PodJson;
import io.gpushare.model.PodController;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.model.node.NodeRules;
import io.gpushare.model.pod.KubeletReport;
import io.gpushare.model.pod.KubeletReport.Admission;
import io.gpushare.model.pod.PodPriority;
import io.gpushare.model.pod.PodScheduling;
import io.gpushare.model.pod.PodState;
import io.gpushare.model.request.ContainerResources;
import io.gpushare.model.request.PodAnnotations;
import io.gpushare.model.text.Printable;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Decodes one pod from the API's JSON.
 *
 * @param watched whether it is one of the pods of all nodes, which are watched: without what only its own node needs
 */
record PodDecoder(PodJson pod, boolean watched) {
    // The labels of our device plugin's pods, of both ways to offer cards.
    private static final Set<String> PLUGINS = Set.of("gpu-share-device-plugin", "gpu-share-claims");
    private static final int LONGEST_REJECTION = 400;
    private static final int LONGEST_CONDITION = 1000;

    /** A pod of the program's own node, or a single one. */
    static PodState of(JsonNode json) {
        return new PodDecoder(new PodJson(json), false).state();
    }

    /** The same for pods of all nodes. */
    static PodState ofAnyNode(JsonNode json) {
        PodState state = new PodDecoder(new PodJson(json), true).state();
        return state.ended() ? state.identity() : state;
    }

    private PodState state() {
        return new PodState(
                pod.ref(),
                pod.node(),
                pod.ended(),
                new PodPriority(
                        pod.priority(),
                        Objects.requireNonNullElse(Json.time(pod.metadata(), "creationTimestamp"), Instant.EPOCH),
                        pod.deleting()),
                deadline(),
                controller(),
                annotations(),
                pod.containers(),
                watched ? Set.of() : pod.containersWith(ContainerResources.JAX_FRACTION),
                pod.node() != null || pod.ended() ? PodScheduling.NONE : scheduling(),
                kubelet(),
                metrics(),
                watched ? pod.claims() : pod.claims().with(pod.claimUses()));
    }

    private PodScheduling scheduling() {
        NodeRules rules = pod.nodeRules();
        Optional<JsonNode> failed = pod.condition("PodScheduled", "False");
        return new PodScheduling(
                rules.size() > NodeRules.MOST ? NodeRules.ANY : rules,
                pod.gates(),
                pod.group(),
                pod.templates(),
                failed.filter(each -> text(each, "reason").equals("Unschedulable"))
                        .isPresent(),
                failed.map(PodDecoder::shortened).orElse(""),
                watched
                        ? ""
                        : failed.map(each -> Printable.line(text(each, "message"), LONGEST_CONDITION))
                                .orElse(""),
                pod.nominatedNode(),
                held());
    }

    /** A condition in a few characters. */
    private static String shortened(JsonNode condition) {
        return text(condition, "lastTransitionTime") + " "
                + Integer.toHexString((text(condition, "reason") + text(condition, "message")).hashCode());
    }

    private @Nullable String held() {
        return pod.condition(PodJson.HELD, "True")
                .map(condition -> text(condition, "message"))
                .filter(message -> message.indexOf(':') > 0)
                .map(message -> message.substring(0, message.indexOf(':')).intern())
                .orElse(null);
    }

    private KubeletReport kubelet() {
        boolean unallocated = pod.ended() && text(pod.status(), "reason").equals("UnexpectedAdmissionError");
        String rejection = unallocated ? Printable.line(text(pod.status(), "message"), LONGEST_REJECTION) : "";
        Map<String, String> started = watched && pod.claims().none() ? Map.of() : started();
        return rejection.isEmpty() && started.isEmpty()
                ? KubeletReport.of(admission())
                : new KubeletReport(admission(), rejection, started);
    }

    private Admission admission() {
        boolean reported = pod.containerStatuses().findAny().isPresent();
        if (reported || pod.phase("Running") || pod.phase("Succeeded")) {
            return Admission.ADMITTED;
        }
        return pod.phase("Failed") && pod.status().hasNonNull("reason") ? Admission.REJECTED : Admission.PENDING;
    }

    /** The names of its started containers by container ID. */
    private Map<String, String> started() {
        // containerd://<id>, cri-o://<id>, docker://<id>; empty until the container has started.
        return pod.containerStatuses()
                .filter(each -> !text(each, "containerID").isEmpty())
                .collect(Collectors.toMap(
                        each -> text(each, "containerID").replaceFirst("^[^/]*//", ""),
                        each -> text(each, "name"),
                        (_, last) -> last));
    }

    /** What the owner requires matters until the pod has cards, and nobody but the scheduler gives it cards. */
    private Map<String, String> annotations() {
        Map<String, String> annotations = pod.annotations();
        if (pod.node() == null) {
            annotations.remove(AnnotationKeys.ALLOCATION);
            return annotations;
        }
        annotations.keySet().removeIf(PodAnnotations::unknown);
        if (annotations.containsKey(AnnotationKeys.ALLOCATION)) {
            annotations.keySet().removeAll(PodAnnotations.selectors());
            if (watched) {
                annotations.keySet().removeIf(AnnotationKeys::legacy);
            }
        }
        return annotations;
    }

    private @Nullable PodController controller() {
        return pod.metadata()
                .path("ownerReferences")
                .valueStream()
                .filter(owner -> owner.path("controller").asBoolean())
                .findFirst()
                .map(owner -> new PodController(
                        Json.shared(owner, "kind"), Json.shared(owner, "name"), Json.shared(owner, "uid")))
                .orElse(null);
    }

    private @Nullable Instant deadline() {
        @Nullable Instant deleted = Json.time(pod.metadata(), "deletionTimestamp");
        return deleted != null ? deleted : activeDeadline();
    }

    private @Nullable Instant activeDeadline() {
        @Nullable Instant start = Json.time(pod.status(), "startTime");
        if (start == null || !pod.spec().hasNonNull("activeDeadlineSeconds")) {
            return null;
        }
        try {
            return start.plusSeconds(seconds("activeDeadlineSeconds"))
                    .plusSeconds(seconds("terminationGracePeriodSeconds"));
        } catch (DateTimeException _) {
            return null; // a start at the end of time
        }
    }

    /** The range that the API server accepts, or more. */
    private long seconds(String field) {
        return Math.clamp(pod.spec().path(field).asLong(), 0, Integer.MAX_VALUE);
    }

    /** The host and port of a device plugin's metrics, from the labels and the annotation of our manifest. */
    private @Nullable String metrics() {
        String ip = text(pod.status(), "podIP");
        JsonNode labels = pod.metadata().path("labels");
        boolean plugin = text(labels, "app").equals("gpushare") && PLUGINS.contains(text(labels, "component"));
        if (!plugin || ip.isEmpty()) {
            return null;
        }
        String port = pod.annotations().getOrDefault(AnnotationKeys.METRICS_PORT, "");
        if (!port.matches("[0-9]{1,5}")) {
            return null;
        }
        return (ip.contains(":") ? "[" + ip + "]" : ip) + ":" + port;
    }
}
