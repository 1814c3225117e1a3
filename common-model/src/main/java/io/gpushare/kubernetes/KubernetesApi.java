package io.gpushare.kubernetes;

import com.google.gson.JsonObject;
import com.google.gson.reflect.TypeToken;
import io.gpushare.model.PodRef;
import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.CoreV1Event;
import io.kubernetes.client.openapi.models.V1Binding;
import io.kubernetes.client.openapi.models.V1DeleteOptions;
import io.kubernetes.client.openapi.models.V1EventSource;
import io.kubernetes.client.openapi.models.V1Eviction;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ObjectReference;
import io.kubernetes.client.openapi.models.V1Preconditions;
import io.kubernetes.client.util.CallGeneratorParams;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import io.kubernetes.client.util.PatchUtils;
import io.kubernetes.client.util.Watch;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import okhttp3.Call;
import okhttp3.ConnectionPool;
import org.jspecify.annotations.Nullable;

/** The API server: what is watched, read and written there. Every call has a deadline; only watches last. */
public final class KubernetesApi implements AutoCloseable {
    private static final Duration CALL = Duration.ofSeconds(10);
    private static final Duration CONNECT = Duration.ofSeconds(5);
    // From a Binding's begin to its end, with what must be asked before: shorter than kube-scheduler waits, and than a
    // leader has between the end of its term and the next one's begin.
    private static final Duration BIND = Duration.ofMillis(4_500);
    private static final int PAGE = 500;
    // Where each call in flight needs a connection (HTTP/1.1): so many are kept for the next ones.
    private static final int IDLE_CONNECTIONS = 64;
    private static final Duration IDLE = Duration.ofMinutes(5);
    // A server that stopped without closing the connection is noticed after two of these.
    private static final Duration PING = Duration.ofSeconds(10);

    private final ApiClient calls;
    private final ApiClient watches;
    private final CoreV1Api core;
    private final BindingGuard guard;

    private KubernetesApi(ApiClient calls, ApiClient watches) {
        this.calls = calls;
        this.watches = watches;
        this.core = new CoreV1Api(calls);
        this.guard = new BindingGuard(calls);
    }

    /**
     * Prepares to talk to the cluster; nothing is sent yet.
     *
     * @param kubeconfig a kubeconfig file, or null for the service account of the pod that this runs in
     * @throws IOException when the file, or the service account, can't be read; the message says which
     */
    public static KubernetesApi connect(@Nullable Path kubeconfig, String userAgent) throws IOException {
        LenientJson.use();
        ApiClient calls = client(kubeconfig, userAgent);
        calls.setHttpClient(calls.getHttpClient()
                .newBuilder()
                .connectionPool(new ConnectionPool(IDLE_CONNECTIONS, IDLE.toSeconds(), TimeUnit.SECONDS))
                .connectTimeout(CONNECT)
                .readTimeout(CALL)
                .callTimeout(CALL)
                .build());
        ApiClient watches = client(kubeconfig, userAgent);
        watches.setHttpClient(watches.getHttpClient()
                .newBuilder()
                .connectTimeout(CONNECT)
                .readTimeout(Duration.ZERO)
                .pingInterval(PING)
                .build());
        return new KubernetesApi(calls, watches);
    }

    private static ApiClient client(@Nullable Path kubeconfig, String userAgent) throws IOException {
        ApiClient client;
        if (kubeconfig == null) {
            client = inCluster();
        } else {
            try (Reader reader = Files.newBufferedReader(kubeconfig)) {
                KubeConfig config = KubeConfig.loadKubeConfig(reader);
                config.setFile(kubeconfig.toFile());
                client = ClientBuilder.kubeconfig(config).build();
            }
        }
        client.setUserAgent(userAgent);
        return client;
    }

    private static ApiClient inCluster() throws IOException {
        if (System.getenv("KUBERNETES_SERVICE_HOST") == null) {
            throw new IOException("no kubeconfig is given and this is not a pod: name a file with --kubeconfig");
        }
        return ClientBuilder.cluster().build();
    }

    /**
     * Watches pods.
     *
     * @param nodeName only those bound to that node; null: all
     */
    public Informer<PodState> watchPods(@Nullable String nodeName, Informer.Listener<PodState> listener) {
        return Informer.start(
                watches,
                new Informer.Kind<>(
                        "pods",
                        ApiObject.Pod.class,
                        ApiObject.PodList.class,
                        new TypeToken<Watch.Response<ApiObject.Pod>>() {}.getType(),
                        (params, page) -> pods(new CoreV1Api(watches), nodeName, params, page),
                        nodeName == null,
                        nodeName == null ? KubernetesApi::stripForAllNodes : ApiObject::strip,
                        ApiObject.Pod::state),
                listener,
                InstantSource.system());
    }

    /** Watches all nodes. */
    public Informer<NodeState> watchNodes(Informer.Listener<NodeState> listener) {
        return Informer.start(
                watches,
                new Informer.Kind<>(
                        "nodes",
                        ApiObject.Node.class,
                        ApiObject.NodeList.class,
                        new TypeToken<Watch.Response<ApiObject.Node>>() {}.getType(),
                        (params, page) -> new CoreV1Api(watches)
                                .listNode()
                                .limit(page.limit())
                                ._continue(page.next())
                                .resourceVersion(params.resourceVersion)
                                .timeoutSeconds(params.timeoutSeconds)
                                .allowWatchBookmarks(params.watch)
                                .watch(params.watch)
                                .buildCall(null),
                        true,
                        ApiObject::strip,
                        ApiObject.Node::state),
                listener,
                InstantSource.system());
    }

    private static void stripForAllNodes(ApiObject.Pod pod) {
        pod.strip();
        pod.forgetContainers();
    }

    private static Call pods(CoreV1Api api, @Nullable String nodeName, CallGeneratorParams params, Informer.Page page)
            throws ApiException {
        return api.listPodForAllNamespaces()
                .limit(page.limit())
                ._continue(page.next())
                .fieldSelector(nodeName == null ? null : "spec.nodeName=" + nodeName)
                .resourceVersion(params.resourceVersion)
                .timeoutSeconds(params.timeoutSeconds)
                .allowWatchBookmarks(params.watch)
                .watch(params.watch)
                .buildCall(null);
    }

    /** A Lease, whose calls each end within the deadline. */
    public Leases lease(String namespace, String name, Duration deadline) {
        return new Leases(calls, namespace, name, deadline);
    }

    /**
     * The pods that are bound and have not ended, as they are now and not as a cache has them, a page at a time: read so,
     * a large cluster's pods are never all in memory.
     */
    public void eachBoundPod(Consumer<PodState> consumer) throws KubernetesException {
        @Nullable String next = null;
        do {
            ApiObject.PodList page = boundPods(next);
            page.getItems().forEach(pod -> consumer.accept(pod.state()));
            next = page.getMetadata() == null ? null : page.getMetadata().getContinue();
        } while (next != null && !next.isEmpty());
    }

    private ApiObject.PodList boundPods(@Nullable String next) throws KubernetesException {
        try {
            Call call = core.listPodForAllNamespaces()
                    .fieldSelector("spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed")
                    .limit(PAGE)
                    ._continue(next)
                    .buildCall(null);
            return calls.<ApiObject.PodList>execute(call, ApiObject.PodList.class)
                    .getData();
        } catch (ApiException e) {
            throw KubernetesException.of("listing the pods that are bound", e);
        }
    }

    /** One node as it is now; empty when there is none of that name. */
    public Optional<NodeState> node(String name) throws KubernetesException {
        try {
            Call call = core.readNode(name).buildCall(null);
            ApiObject.Node node =
                    calls.<ApiObject.Node>execute(call, ApiObject.Node.class).getData();
            return Optional.of(node.state());
        } catch (ApiException e) {
            if (e.getCode() == 404) {
                return Optional.empty();
            }
            throw KubernetesException.of("reading node " + name, e);
        }
    }

    /** One pod as it is now; empty when there is none of that name. */
    public Optional<PodState> pod(String namespace, String name) throws KubernetesException {
        try {
            Call call = core.readNamespacedPod(name, namespace).buildCall(null);
            ApiObject.Pod pod =
                    calls.<ApiObject.Pod>execute(call, ApiObject.Pod.class).getData();
            return Optional.of(pod.state());
        } catch (ApiException e) {
            if (e.getCode() == 404) {
                return Optional.empty();
            }
            throw KubernetesException.of("reading pod " + namespace + "/" + name, e);
        }
    }

    /** The pods bound to that node, as they are now. */
    public List<PodState> podsOnNode(String nodeName) throws KubernetesException {
        try {
            Call call = pods(core, nodeName, new CallGeneratorParams(false, null, null), Informer.Page.WHOLE);
            ApiObject.PodList list = calls.<ApiObject.PodList>execute(call, ApiObject.PodList.class)
                    .getData();
            return list.getItems().stream().map(ApiObject.Pod::state).toList();
        } catch (ApiException e) {
            throw KubernetesException.of("listing the pods of node " + nodeName, e);
        }
    }

    /** Sets these annotations on the node and leaves all others. */
    public void annotateNode(String node, Map<String, String> annotations) throws KubernetesException {
        patch(
                "annotating node " + node,
                annotated(annotations, null),
                patch -> core.patchNode(node, patch).buildCall(null));
    }

    /** Sets these labels on the node, removes those that are null, sets these annotations, and leaves all others. */
    public void labelNode(String node, Map<String, @Nullable String> labels, Map<String, String> annotations)
            throws KubernetesException {
        JsonObject document = annotated(annotations, null);
        JsonObject values = new JsonObject();
        labels.forEach(values::addProperty);
        document.getAsJsonObject("metadata").add("labels", values);
        patch(
                "labelling node " + node,
                document,
                patch -> core.patchNode(node, patch).buildCall(null));
    }

    /** Sets these annotations on that pod and leaves all others; refused with 409 when another pod has its name now. */
    public void annotatePod(PodRef pod, Map<String, String> annotations) throws KubernetesException {
        patch(
                "annotating pod " + pod,
                annotated(annotations, pod.uid()),
                patch -> core.patchNamespacedPod(pod.name(), pod.namespace(), patch)
                        .buildCall(null));
    }

    private interface PatchCall {
        Call build(V1Patch patch) throws ApiException;
    }

    private void patch(String doing, JsonObject document, PatchCall call) throws KubernetesException {
        try {
            V1Patch patch = new V1Patch(document.toString());
            PatchUtils.patch(Object.class, () -> call.build(patch), V1Patch.PATCH_FORMAT_JSON_MERGE_PATCH, calls);
        } catch (ApiException e) {
            throw KubernetesException.of(doing, e);
        }
    }

    private static JsonObject annotated(Map<String, String> annotations, @Nullable String uid) {
        JsonObject values = new JsonObject();
        annotations.forEach(values::addProperty);
        JsonObject metadata = new JsonObject();
        if (uid != null) {
            metadata.addProperty("uid", uid);
        }
        metadata.add("annotations", values);
        JsonObject patch = new JsonObject();
        patch.add("metadata", metadata);
        return patch;
    }

    /** Tells the pod's people of something in an Event; {@code kubectl describe pod} shows it, and how often it was. */
    public void recordEvent(PodRef about, PodEvent event, EventSeries times) throws KubernetesException {
        CoreV1Event written = new CoreV1Event()
                .metadata(new V1ObjectMeta().generateName(about.name() + ".").namespace(about.namespace()))
                .involvedObject(new V1ObjectReference()
                        .apiVersion("v1")
                        .kind("Pod")
                        .namespace(about.namespace())
                        .name(about.name())
                        .uid(about.uid()))
                .type(event.warning() ? "Warning" : "Normal")
                .reason(event.reason())
                .message(event.message())
                .source(new V1EventSource().component(event.component()))
                .firstTimestamp(times.first().atOffset(ZoneOffset.UTC))
                .lastTimestamp(times.last().atOffset(ZoneOffset.UTC))
                .count(times.count());
        try {
            calls.execute(core.createNamespacedEvent(about.namespace(), written).buildCall(null));
        } catch (ApiException e) {
            throw KubernetesException.of("recording an Event of pod " + about, e);
        }
    }

    /**
     * Evicts that pod: it ends in order, and not at all while a PodDisruptionBudget forbids it (429). Refused with 409 when
     * another pod has its name now; one that is gone already is evicted.
     */
    public void evict(PodRef pod) throws KubernetesException {
        try {
            evict(pod, "policy/v1");
        } catch (ApiException e) {
            if (e.getCode() != 400) {
                throw KubernetesException.of("evicting pod " + pod, e);
            }
            try {
                // Before Kubernetes 1.22 there was only this version; since 1.25 it is gone.
                evict(pod, "policy/v1beta1");
            } catch (ApiException older) {
                throw KubernetesException.of("evicting pod " + pod, older);
            }
        }
    }

    private void evict(PodRef pod, String version) throws ApiException {
        V1Eviction eviction = new V1Eviction()
                .apiVersion(version)
                .kind("Eviction")
                .metadata(new V1ObjectMeta().name(pod.name()).namespace(pod.namespace()))
                .deleteOptions(new V1DeleteOptions().preconditions(new V1Preconditions().uid(pod.uid())));
        try {
            // The server answers with a Status: no type is asked for, so that nothing is read into an Eviction.
            calls.execute(core.createNamespacedPodEviction(pod.name(), pod.namespace(), eviction)
                    .buildCall(null));
        } catch (ApiException e) {
            if (e.getCode() != 404) {
                throw e;
            }
        }
    }

    /**
     * Binds the pod to the node and writes the annotations, both or neither (kubernetes: BindingREST.Create). Refused with
     * 409 when the pod is bound already, is being deleted, or is another pod of that name. It ends within 4.5 s.
     */
    public void bind(PodRef pod, String node, Map<String, String> annotations) throws KubernetesException {
        V1Binding binding = new V1Binding()
                .apiVersion("v1")
                .kind("Binding")
                .metadata(new V1ObjectMeta()
                        .name(pod.name())
                        .namespace(pod.namespace())
                        .uid(pod.uid())
                        .annotations(annotations))
                .target(new V1ObjectReference().apiVersion("v1").kind("Node").name(node));
        long end = System.nanoTime() + BIND.toNanos();
        if (!guard.serverChecksUid()) {
            requireSameUid(pod);
        }
        try {
            // The server answers with a Status: no type is asked for, so that nothing is read into a Binding.
            Call call = core.createNamespacedPodBinding(pod.name(), pod.namespace(), binding)
                    .buildCall(null);
            calls.execute(within(Duration.ofNanos(end - System.nanoTime()), call));
        } catch (ApiException e) {
            throw KubernetesException.of("binding pod " + pod + " to node " + node, e);
        }
    }

    /** That call with a deadline of its own; one that is over makes it fail at once. */
    static Call within(Duration deadline, Call call) {
        call.timeout().timeout(Math.max(1, deadline.toMillis()), TimeUnit.MILLISECONDS);
        return call;
    }

    private void requireSameUid(PodRef pod) throws KubernetesException {
        Optional<PodState> now = pod(pod.namespace(), pod.name());
        if (now.isEmpty()) {
            throw new KubernetesException(404, "binding pod " + pod + ": the pod is gone", null);
        }
        if (!now.get().ref().uid().equals(pod.uid())) {
            throw new KubernetesException(409, "binding pod " + pod + ": another pod has that name now", null);
        }
    }

    @Override
    public void close() {
        for (ApiClient client : List.of(calls, watches)) {
            client.getHttpClient().dispatcher().executorService().shutdown();
            client.getHttpClient().connectionPool().evictAll();
        }
    }
}
