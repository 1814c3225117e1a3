package io.gpushare.e2e.sandbox.migration;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.PodDocument;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** The API server, with requests that must succeed. All pods are in the default namespace. */
final class ClusterApi implements AutoCloseable {
    private static final String PODS = "/api/v1/namespaces/default/pods";
    private static final String NODES = "/api/v1/nodes";

    private final ApiClient client;

    ClusterApi(URI server) {
        client = new ApiClient(server);
    }

    PodDocument pod(String name) {
        return new PodDocument(send(() -> client.get(path(name))));
    }

    List<PodDocument> pods() {
        List<PodDocument> pods = new ArrayList<>();
        send(() -> client.get(PODS)).path("items").forEach(pod -> pods.add(new PodDocument((ObjectNode) pod)));
        return pods;
    }

    List<PodDocument> pods(String node) {
        return pods().stream().filter(pod -> pod.node().equals(node)).toList();
    }

    void create(ObjectNode pod) {
        send(() -> client.post(PODS, pod));
    }

    void delete(String pod) {
        send(() -> client.delete(path(pod), ApiClient.document()));
    }

    void annotate(PodDocument pod, Map<String, String> annotations) {
        send(() -> client.patch(pod.path(), annotations(annotations)));
    }

    void bind(PodDocument pod, String node) {
        ObjectNode binding = ApiClient.document().put("apiVersion", "v1").put("kind", "Binding");
        binding.putObject("metadata").put("name", pod.name()).put("uid", pod.uid());
        binding.putObject("target").put("kind", "Node").put("name", node);
        send(() -> client.post(pod.path() + "/binding", binding));
    }

    List<String> nodes() {
        List<String> names = new ArrayList<>();
        send(() -> client.get(NODES))
                .path("items")
                .forEach(node -> names.add(node.at("/metadata/name").asText()));
        return names;
    }

    /** An annotation of the node; empty if it has none. */
    String annotation(String node, String key) {
        JsonNode annotations = send(() -> client.get(NODES + "/" + node)).at("/metadata/annotations");
        return annotations.path(key).asText("");
    }

    /** The capacity of the node for a resource; empty if it has none. */
    String capacity(String node, String resource) {
        return send(() -> client.get(NODES + "/" + node))
                .at("/status/capacity")
                .path(resource)
                .asText("");
    }

    /** Writes an amount into the node's status, as gpushare's device plugin does. */
    void writeStatus(String node, String resource, String amount) {
        ObjectNode patch = ApiClient.document();
        patch.withObject("/status/capacity").put(resource, amount);
        patch.withObject("/status/allocatable").put(resource, amount);
        send(() -> client.patch(NODES + "/" + node + "/status", patch));
    }

    void annotateNode(String node, Map<String, String> annotations) {
        send(() -> client.patch(NODES + "/" + node, annotations(annotations)));
    }

    void removeAnnotations(String node, String... keys) {
        ObjectNode patch = ApiClient.document();
        ObjectNode annotations = patch.putObject("metadata").putObject("annotations");
        List.of(keys).forEach(annotations::putNull);
        send(() -> client.patch(NODES + "/" + node, patch));
    }

    /** Cordons or uncordons the node. */
    void unschedulable(String node, boolean cordoned) {
        ObjectNode patch = ApiClient.document();
        patch.putObject("spec").put("unschedulable", cordoned);
        send(() -> client.patch(NODES + "/" + node, patch));
    }

    private static String path(String pod) {
        return PODS + "/" + pod;
    }

    private static ObjectNode annotations(Map<String, String> annotations) {
        ObjectNode patch = ApiClient.document();
        annotations.forEach(patch.putObject("metadata").putObject("annotations")::put);
        return patch;
    }

    private static ObjectNode send(Callable<ApiClient.Answer> request) {
        ApiClient.Answer answer;
        try {
            answer = request.call();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        if (!answer.succeeded()) {
            throw new IllegalStateException(answer.message());
        }
        return answer.document();
    }

    @Override
    public void close() {
        client.close();
    }
}
