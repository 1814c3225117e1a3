package io.gpushare.kubernetes;

import io.gpushare.kubernetes.wire.Responses;
import io.gpushare.model.PodRef;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.apis.VersionApi;
import io.kubernetes.client.openapi.models.V1Binding;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ObjectReference;
import io.kubernetes.client.openapi.models.VersionInfo;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import okhttp3.Call;
import org.jspecify.annotations.Nullable;

/** Creates Bindings that can only bind the very pod they name, also on API servers that ignore the uid in a Binding. */
final class Bindings {
    // The time for one Binding with all calls before it: shorter than kube-scheduler's timeout, and than the time
    // between
    // the end of a leader's term and the start of the next.
    private static final Duration DEADLINE = Duration.ofMillis(4_500);

    private final ApiClient client;
    private final CoreV1Api core;
    private final Pods pods;
    private final AtomicReference<@Nullable Boolean> checksUid = new AtomicReference<>();

    Bindings(ApiClient client, Pods pods) {
        this.client = client;
        this.core = new CoreV1Api(client);
        this.pods = pods;
    }

    void bind(PodRef pod, String node, Map<String, String> annotations) throws KubernetesException {
        V1Binding binding = new V1Binding()
                .apiVersion("v1")
                .kind("Binding")
                .metadata(new V1ObjectMeta()
                        .name(pod.name())
                        .namespace(pod.namespace())
                        .uid(pod.uid())
                        .annotations(annotations))
                .target(new V1ObjectReference().apiVersion("v1").kind("Node").name(node));
        long end = System.nanoTime() + DEADLINE.toNanos();
        if (!serverChecksUid()) {
            requireSameUid(pod);
        }
        try {
            // The server responds with a Status: without a type the client does not parse it as a Binding.
            Call call = core.createNamespacedPodBinding(pod.name(), pod.namespace(), binding)
                    .buildCall(null);
            client.execute(KubernetesApi.within(Duration.ofNanos(end - System.nanoTime()), call));
        } catch (ApiException e) {
            throw KubernetesException.of("binding pod " + pod + " to node " + node, e);
        }
    }

    private void requireSameUid(PodRef pod) throws KubernetesException {
        Optional<PodState> now = pods.read(pod.namespace(), pod.name());
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
            try {
                checks = checksUid(
                        Responses.of(() -> new VersionApi(client).getCode().execute()));
            } catch (ApiException e) {
                throw KubernetesException.of("reading the API server's version", e);
            }
            checksUid.set(checks);
        }
        return checks;
    }

    /** Servers compare the uid since 1.23, except 1.25 and 1.26. A version that can't be read counts as one that does not. */
    private static boolean checksUid(VersionInfo version) {
        // Managed clusters report a minor version such as "29+".
        String major = version.getMajor().replaceAll("[^0-9]", "");
        String minor = version.getMinor().replaceAll("[^0-9]", "");
        if (major.isEmpty() || minor.isEmpty()) {
            return false;
        }
        int number = Integer.parseInt(minor);
        return Integer.parseInt(major) > 1 || (number >= 23 && number != 25 && number != 26);
    }
}
