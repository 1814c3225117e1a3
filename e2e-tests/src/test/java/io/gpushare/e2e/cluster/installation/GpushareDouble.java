package io.gpushare.e2e.cluster.installation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.gpushare.e2e.cluster.ApiServer;
import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.cluster.Cluster;
import io.gpushare.e2e.cluster.Pods;
import io.gpushare.simulated.kubelet.PluginServer;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * gpushare on a node of two cards: its objects, whose containers do nothing, and a double of its device plugin, which
 * serves while the pod of its DaemonSet runs. Pods get the annotations that its extender writes.
 */
final class GpushareDouble implements AutoCloseable {
    static final String MEMORY = "aliyun.com/gpu-mem";
    static final String COUNT = "aliyun.com/gpu-count";
    static final int CARD = 15;
    private static final String INDEX = "ALIYUN_COM_GPU_MEM_IDX";
    private static final String UNITS = "ALIYUN_COM_GPU_MEM_POD";
    private static final String ASSIGNED = "ALIYUN_COM_GPU_MEM_ASSIGNED";
    private static final String TIME = "ALIYUN_COM_GPU_MEM_ASSUME_TIME";
    private static final String PODS = "/api/v1/namespaces/default/pods";

    private final Cluster cluster;
    private final ApiServer api;
    private final Thread watch = Thread.ofVirtual().unstarted(this::follow);
    private volatile String serving = "";
    private volatile boolean closed;

    /** Follows the DaemonSet of that cluster, which is not installed yet. */
    GpushareDouble(Cluster cluster, ApiServer api) {
        this.cluster = cluster;
        this.api = api;
        watch.start();
    }

    /** The UID of the DaemonSet's pod whose container is the serving plugin; empty while none serves. */
    String serving() {
        return serving;
    }

    /** The device plugin; in the second case only on nodes whose label of the guide says so. */
    void installPlugin(boolean followsOurLabel) {
        StringBuilder yaml = new StringBuilder();
        for (String account : List.of("gpushare-device-plugin", "gpushare-schd-extender")) {
            yaml.append("""
                ---
                {apiVersion: v1, kind: ServiceAccount, metadata: {name: %1$s, namespace: kube-system}}
                ---
                apiVersion: rbac.authorization.k8s.io/v1
                kind: ClusterRole
                metadata: {name: %1$s}
                rules: [{apiGroups: [''], resources: [nodes, pods], verbs: [get, list, watch]}]
                ---
                apiVersion: rbac.authorization.k8s.io/v1
                kind: ClusterRoleBinding
                metadata: {name: %1$s}
                roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: %1$s}
                subjects: [{kind: ServiceAccount, name: %1$s, namespace: kube-system}]
                """.formatted(account));
        }
        cluster.kubectl()
                .apply(yaml
                        + """
                        ---
                        apiVersion: apps/v1
                        kind: DaemonSet
                        metadata: {name: gpushare-device-plugin-ds, namespace: kube-system}
                        spec:
                          selector: {matchLabels: {app: gpushare, component: gpushare-device-plugin}}
                          template:
                            metadata: {labels: {app: gpushare, component: gpushare-device-plugin}}
                            spec:
                              nodeSelector: {gpushare: 'true', %s}
                        """.formatted(followsOurLabel ? "gpushare.io/plugin: gpushare" : "")
                        + container("gpushare-device-plugin"));
    }

    /** The extender; its Service has the name of ours. */
    void installExtender() {
        cluster.kubectl().apply("""
            apiVersion: v1
            kind: Service
            metadata: {name: gpushare-schd-extender, namespace: kube-system}
            spec:
              type: NodePort
              selector: {app: gpushare, component: gpushare-schd-extender}
              ports: [{name: http, port: 12345, targetPort: 12345, nodePort: 32766}]
            ---
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: gpushare-schd-extender, namespace: kube-system}
            spec:
              replicas: 1
              strategy: {type: Recreate}
              selector: {matchLabels: {app: gpushare, component: gpushare-schd-extender}}
              template:
                metadata: {labels: {app: gpushare, component: gpushare-schd-extender}}
                spec:
            """ + container("gpushare-schd-extender"));
    }

    private String container(String account) {
        return """
                  serviceAccount: %s
                  terminationGracePeriodSeconds: 5
                  containers: [{name: gpushare, image: '%s', imagePullPolicy: IfNotPresent, command: [sleep, '1000000']}]
            """.formatted(account, cluster.workloadImage());
    }

    /** Creates a pod as gpushare's extender binds it. */
    void place(Pods pods, String name, int units, int card) {
        Map<String, String> annotations = Map.of(
                INDEX,
                String.valueOf(card),
                "ALIYUN_COM_GPU_MEM_DEV",
                String.valueOf(CARD),
                UNITS,
                String.valueOf(units),
                ASSIGNED,
                "false",
                TIME,
                System.currentTimeMillis() + "000000");
        cluster.kubectl()
                .apply(pods.manifest(name, annotations, Map.of("main", MEMORY + ": " + units))
                        .replace("spec:\n", "spec:\n  nodeName: " + cluster.node() + "\n"));
    }

    /**
     * What gpushare shows of the node: what is allocated of each card, and its size.
     *
     * @param amounts {@code capacity}, which its extender reads, or {@code allocatable}, which its command line reads
     */
    String cards(String amounts) {
        JsonNode status = get("/api/v1/nodes/" + cluster.node()).at("/status/" + amounts);
        int count = status.path(COUNT).asInt();
        JsonNode pods = get(PODS).path("items");
        return IntStream.range(0, count)
                .mapToObj(card ->
                        allocated(pods, card) + "/" + status.path(MEMORY).asInt() / count)
                .collect(Collectors.joining(" "));
    }

    private static int allocated(JsonNode pods, int card) {
        return pods.valueStream()
                .filter(pod -> annotation(pod, INDEX).equals(String.valueOf(card)))
                .mapToInt(pod -> Integer.parseInt(annotation(pod, UNITS)))
                .sum();
    }

    private static String annotation(JsonNode pod, String key) {
        return pod.at("/metadata/annotations").path(key).asText();
    }

    /** What the API server has at that path; nothing while it does not respond. */
    private JsonNode get(String path) {
        try {
            return api.get(path).body();
        } catch (IOException e) {
            return MissingNode.getInstance();
        }
    }

    private void follow() {
        @Nullable PluginServer server = null;
        String uid = "";
        while (!closed) {
            String now = pod();
            if (!now.equals(uid)) {
                uid = now;
                serving = "";
                if (server != null) {
                    server.close();
                }
                server = now.isEmpty() ? null : start();
                serving = now;
            }
            Await.pause();
        }
        if (server != null) {
            server.close();
        }
    }

    private PluginServer start() {
        try {
            return plugin(cluster, api, this::allocate);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The UID of the DaemonSet's pod that is ready. */
    private String pod() {
        return get("/api/v1/namespaces/kube-system/pods?labelSelector=component%3Dgpushare-device-plugin")
                .path("items")
                .valueStream()
                .filter(pod ->
                        Pods.ready(pod) && pod.at("/metadata/deletionTimestamp").isMissingNode())
                .map(pod -> pod.at("/metadata/uid").asText())
                .findFirst()
                .orElse("");
    }

    /** Gives the card of the oldest waiting pod with that amount. */
    private Map<String, String> allocate(int units) {
        Optional<JsonNode> pod = get(PODS)
                .path("items")
                .valueStream()
                .filter(each -> annotation(each, ASSIGNED).equals("false")
                        && annotation(each, UNITS).equals(String.valueOf(units)))
                .min(Comparator.comparing(each -> annotation(each, TIME)));
        pod.ifPresent(each -> send(
                PODS + "/" + each.at("/metadata/name").asText(),
                "{\"metadata\":{\"annotations\":{\"" + ASSIGNED + "\":\"true\"}}}"));
        return Map.of(
                "NVIDIA_VISIBLE_DEVICES",
                pod.map(each -> annotation(each, INDEX)).orElse("no-gpu-has-" + units + "GiB-to-run"));
    }

    private void send(String path, String patch) {
        try {
            api.send("PATCH", path, patch);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** As gpushare's plugin starts: the count first if another one is there, then its server, then the registration. */
    static PluginServer plugin(Cluster cluster, ApiServer api, PluginServer.Allocator allocator) throws IOException {
        String node = "/api/v1/nodes/" + cluster.node();
        if (!api.get(node).body().at("/status/capacity").path(COUNT).asText().equals("2")) {
            String count = "{\"" + COUNT + "\":\"2\"}";
            ApiServer.Response written = api.send(
                    "PATCH",
                    node + "/status",
                    "{\"status\":{\"capacity\":" + count + ",\"allocatable\":" + count + "}}");
            if (!written.succeeded()) {
                throw new IOException("writing the count: " + written);
            }
        }
        return new PluginServer(
                cluster.kubeletFolder(),
                "aliyungpushare.sock",
                MEMORY,
                IntStream.range(0, 2 * CARD)
                        .mapToObj(i -> "GPU-of-gpushare-_-" + i)
                        .toList(),
                allocator);
    }

    @Override
    public void close() {
        closed = true;
        try {
            watch.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
