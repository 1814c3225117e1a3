package io.gpushare.kubernetes;

import static io.gpushare.kubernetes.ApiServer.path;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.kubernetes.ApiServer.Request;
import io.gpushare.kubernetes.wire.Json;
import io.gpushare.kubernetes.wire.PodJson;
import io.gpushare.model.PodRef;
import io.gpushare.model.pod.PodState;
import io.gpushare.time.Machine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The pods in the API: reads, watches and writes. */
public final class Pods {
    private static final int PAGE = 500;
    private static final String ALL = "/api/v1/pods";
    private static final String ACTIVE = "status.phase!=Succeeded,status.phase!=Failed";
    private static final String ON_NODE = "spec.nodeName=";
    // The time for one Binding with all calls before it: shorter than kube-scheduler's timeout, and than the time
    // between the end of a leader's term and the start of the next.
    private static final Duration BINDING = Duration.ofMillis(4_500);

    private final ApiServer calls;
    private final ApiServer watches;
    private final AtomicReference<@Nullable Boolean> checksUid = new AtomicReference<>();

    Pods(ApiServer calls, ApiServer watches) {
        this.calls = calls;
        this.watches = watches;
    }

    static String pod(String namespace, String name, String... subresource) {
        return path("/api/v1", "namespaces", namespace, "pods", name) + path("", subresource);
    }

    /**
     * Watches pods.
     *
     * @param nodeName the node whose pods are watched, also those that ended, because its kubelet lists them; null for
     *     all pods that have not ended: a pod that ends is gone
     */
    public Informer watch(@Nullable String nodeName, Informer.Listener<PodState> listener) {
        return Informer.start(
                watches,
                nodeName == null
                        ? new Informer.Kind<>("pods", ALL, ACTIVE, true, PodDecoder::ofAnyNode, PodState::identity)
                        : new Informer.Kind<>(
                                "pods", ALL, ON_NODE + nodeName, false, PodDecoder::of, PodState::identity),
                listener);
    }

    /**
     * The bound pods that have not ended, read from the API server and not from a cache, a page at a time: the pods of
     * a large cluster are never in memory together.
     */
    public void eachBound(Consumer<PodState> consumer) throws KubernetesException {
        calls.list(
                Request.get("listing the bound pods", ALL)
                        .with("fieldSelector", "spec.nodeName!=," + ACTIVE)
                        .with("limit", PAGE),
                pod -> consumer.accept(PodDecoder.ofAnyNode(pod)));
    }

    /** The pod of that name as it is now; empty if there is none. */
    public Optional<PodState> read(String namespace, String name) throws KubernetesException {
        return calls.find(Request.get("reading pod " + namespace + "/" + name, pod(namespace, name)))
                .map(PodDecoder::of);
    }

    /** The pods bound to that node, as they are now. Not paged: for a page API servers read all pods of the cluster. */
    public List<PodState> onNode(String nodeName) throws KubernetesException {
        List<PodState> pods = new ArrayList<>();
        calls.list(
                Request.get("listing the pods of node " + nodeName, ALL).with("fieldSelector", ON_NODE + nodeName),
                pod -> pods.add(PodDecoder.of(pod)));
        return List.copyOf(pods);
    }

    /** Sets these annotations on that pod. It fails with 409 if another pod has the name now. */
    public void annotate(PodRef pod, Map<String, String> annotations) throws KubernetesException {
        calls.send(Request.patch(
                "annotating pod " + pod,
                pod(pod.namespace(), pod.name(), "status"),
                Map.of("metadata", Map.of("uid", pod.uid(), "annotations", annotations))));
    }

    /** The names of the pods in that namespace that have that label, {@code key=value}. Ends within the deadline. */
    public Set<String> labelled(String namespace, String label, Duration deadline) throws KubernetesException {
        Set<String> names = new HashSet<>();
        calls.list(
                Request.get(
                                "listing the pods with the label " + label,
                                path("/api/v1", "namespaces", namespace, "pods"))
                        .with("labelSelector", label)
                        .within(deadline),
                pod -> names.add(new PodJson(pod).ref().name()));
        return Set.copyOf(names);
    }

    /** Sets these labels and annotations on that pod, and removes those that are null. Ends within the deadline. */
    public void label(
            String namespace,
            String name,
            Map<String, @Nullable String> labels,
            Map<String, @Nullable String> annotations,
            Duration deadline)
            throws KubernetesException {
        calls.send(Request.patch(
                        "labelling pod " + namespace + "/" + name,
                        pod(namespace, name, "status"),
                        Map.of("metadata", Map.of("labels", labels, "annotations", annotations)))
                .within(deadline));
    }

    /**
     * Binds the pod to the node and sets the annotations, both or neither (kubernetes: BindingREST.Create). It fails
     * with 409 if the pod is already bound, is being deleted, or is another pod of that name. It ends within 4.5 s.
     */
    public void bind(PodRef pod, String node, Map<String, String> annotations) throws KubernetesException {
        long end = Machine.here().nanos() + BINDING.toNanos();
        if (!serverChecksUid()) {
            requireSameUid(pod);
        }
        Map<String, Object> binding = Map.of(
                "apiVersion",
                "v1",
                "kind",
                "Binding",
                "metadata",
                Map.of("name", pod.name(), "namespace", pod.namespace(), "uid", pod.uid(), "annotations", annotations),
                "target",
                Map.of("apiVersion", "v1", "kind", "Node", "name", node));
        calls.send(Request.post(
                        "binding pod " + pod + " to node " + node, pod(pod.namespace(), pod.name(), "binding"), binding)
                .within(Duration.ofNanos(end - Machine.here().nanos())));
    }

    /** For API servers that ignore the uid in a Binding. */
    private void requireSameUid(PodRef pod) throws KubernetesException {
        Optional<PodState> now = read(pod.namespace(), pod.name());
        if (now.isEmpty()) {
            throw new KubernetesException(404, "binding pod " + pod + ": the pod is gone", null);
        }
        if (!now.get().ref().uid().equals(pod.uid())) {
            throw new KubernetesException(409, "binding pod " + pod + ": another pod has that name now", null);
        }
    }

    /** Reads the server's version once. */
    private boolean serverChecksUid() throws KubernetesException {
        @Nullable Boolean checks = checksUid.get();
        if (checks == null) {
            checks = checksUid(calls.send(Request.get("reading the API server's version", "/version/")));
            checksUid.set(checks);
        }
        return checks;
    }

    /**
     * Servers compare the uid since 1.23, except 1.25 and 1.26. A version that can't be read counts as one that does
     * not.
     */
    private static boolean checksUid(JsonNode version) {
        // Managed clusters report a minor version such as "29+".
        String major = Json.text(version, "major").replaceAll("[^0-9]", "");
        String minor = Json.text(version, "minor").replaceAll("[^0-9]", "");
        if (major.isEmpty() || minor.isEmpty()) {
            return false;
        }
        int number = Integer.parseInt(minor);
        return Integer.parseInt(major) > 1 || (number >= 23 && number != 25 && number != 26);
    }
}
