package io.gpushare.kubernetes;

import io.gpushare.kubernetes.wire.ObjectList;
import io.gpushare.kubernetes.wire.ObjectReader;
import io.gpushare.kubernetes.wire.PodObject;
import io.gpushare.kubernetes.wire.Responses;
import io.gpushare.model.PodRef;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.util.CallGeneratorParams;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import okhttp3.Call;
import org.jspecify.annotations.Nullable;

/** The pods in the API: reads, watches and writes. */
public final class Pods {
    private static final int PAGE = 500;
    private static final String ACTIVE = "status.phase!=Succeeded,status.phase!=Failed";

    private final ApiClient calls;
    private final Informer.Watches watches;
    private final CoreV1Api core;
    private final Bindings bindings;

    Pods(ApiClient calls, Informer.Watches watches) {
        this.calls = calls;
        this.watches = watches;
        this.core = new CoreV1Api(calls);
        this.bindings = new Bindings(calls, this);
    }

    /**
     * Watches pods.
     *
     * @param nodeName the node whose pods are watched, also those that ended, because its kubelet lists them; null for all
     *     pods that have not ended: a pod that ends is gone
     */
    public Informer watch(@Nullable String nodeName, Informer.Listener<PodState> listener) {
        return Informer.start(
                watches,
                new Informer.Kind<>(
                        "pods",
                        nodeName == null ? ObjectReader.PODS_OF_ALL_NODES : ObjectReader.PODS,
                        (params, page) -> list(new CoreV1Api(watches.client()), nodeName, params, page),
                        nodeName == null,
                        PodState::of),
                listener,
                InstantSource.system());
    }

    private static Call list(CoreV1Api api, @Nullable String nodeName, CallGeneratorParams params, Informer.Page page)
            throws ApiException {
        return api.listPodForAllNamespaces()
                .limit(page.limit())
                ._continue(page.next())
                .fieldSelector(nodeName == null ? ACTIVE : "spec.nodeName=" + nodeName)
                .resourceVersion(params.resourceVersion)
                .timeoutSeconds(params.timeoutSeconds)
                .allowWatchBookmarks(params.watch)
                .watch(params.watch)
                .buildCall(null);
    }

    /**
     * The bound pods that have not ended, read from the API server and not from a cache, a page at a time: the pods of a
     * large cluster are never in memory together.
     */
    public void eachBound(Consumer<PodState> consumer) throws KubernetesException {
        @Nullable String next = null;
        do {
            ObjectList<PodObject> page = bound(next);
            page.getItems().forEach(pod -> consumer.accept(PodState.of(pod)));
            next = page.next();
        } while (next != null);
    }

    private ObjectList<PodObject> bound(@Nullable String next) throws KubernetesException {
        try {
            Call call = core.listPodForAllNamespaces()
                    .fieldSelector("spec.nodeName!=," + ACTIVE)
                    .limit(PAGE)
                    ._continue(next)
                    .buildCall(null);
            return Responses.read(call, ObjectReader.PODS_OF_ALL_NODES::list);
        } catch (ApiException e) {
            throw KubernetesException.of("listing the bound pods", e);
        }
    }

    /** The pod of that name as it is now; empty if there is none. */
    public Optional<PodState> read(String namespace, String name) throws KubernetesException {
        try {
            Call call = core.readNamespacedPod(name, namespace).buildCall(null);
            return Optional.of(PodState.of(Responses.read(call, ObjectReader.PODS::object)));
        } catch (ApiException e) {
            if (e.getCode() == 404) {
                return Optional.empty();
            }
            throw KubernetesException.of("reading pod " + namespace + "/" + name, e);
        }
    }

    /** The pods bound to that node, as they are now. */
    public List<PodState> onNode(String nodeName) throws KubernetesException {
        try {
            Call call = list(core, nodeName, new CallGeneratorParams(false, null, null), Informer.Page.WHOLE);
            return Responses.read(call, ObjectReader.PODS::list).getItems().stream()
                    .map(PodState::of)
                    .toList();
        } catch (ApiException e) {
            throw KubernetesException.of("listing the pods of node " + nodeName, e);
        }
    }

    /** Sets these annotations on that pod. It fails with 409 if another pod has the name now. */
    public void annotate(PodRef pod, Map<String, String> annotations) throws KubernetesException {
        new MetadataPatch()
                .uid(pod.uid())
                .annotations(annotations)
                .send(
                        "annotating pod " + pod,
                        calls,
                        patch -> core.patchNamespacedPodStatus(pod.name(), pod.namespace(), patch)
                                .buildCall(null));
    }

    /** The names of the pods in that namespace that have that label, {@code key=value}. Ends within the deadline. */
    public Set<String> labelled(String namespace, String label, Duration deadline) throws KubernetesException {
        try {
            Call call = core.listNamespacedPod(namespace).labelSelector(label).buildCall(null);
            return Responses.read(KubernetesApi.within(deadline, call), ObjectReader.PODS::list).getItems().stream()
                    .map(pod -> PodState.of(pod).ref().name())
                    .collect(Collectors.toUnmodifiableSet());
        } catch (ApiException e) {
            throw KubernetesException.of("listing the pods with the label " + label, e);
        }
    }

    /** Sets these labels and annotations on that pod, and removes those that are null. Ends within the deadline. */
    public void label(
            String namespace,
            String name,
            Map<String, @Nullable String> labels,
            Map<String, @Nullable String> annotations,
            Duration deadline)
            throws KubernetesException {
        new MetadataPatch()
                .labels(labels)
                .annotations(annotations)
                .send(
                        "labelling pod " + namespace + "/" + name,
                        calls,
                        patch -> KubernetesApi.within(
                                deadline,
                                core.patchNamespacedPodStatus(name, namespace, patch)
                                        .buildCall(null)));
    }

    /**
     * Binds the pod to the node and sets the annotations, both or neither (kubernetes: BindingREST.Create). It fails with
     * 409 if the pod is already bound, is being deleted, or is another pod of that name. It ends within 4.5 s.
     */
    public void bind(PodRef pod, String node, Map<String, String> annotations) throws KubernetesException {
        bindings.bind(pod, node, annotations);
    }
}
