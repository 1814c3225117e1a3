package io.gpushare.e2e.cluster.comparison;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.e2e.cluster.ApiServer;
import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.cluster.SharedCluster;
import io.gpushare.simulated.apiserver.SimulatedApiServer;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.scheduler.ExtenderConfig;
import io.gpushare.simulated.scheduler.SimulatedScheduler;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.yaml.snakeyaml.Yaml;

/**
 * Creates the same small objects in a real cluster and in the simulated one, and compares what their API servers and
 * schedulers say: what is stored, what is refused and why, where pods are placed or why they wait, and how they end.
 */
@Tag("cluster")
@ExtendWith(SharedCluster.Extension.class)
class SimulationIT {
    private static final String NODES = "/api/v1/nodes";
    private static final Duration TAINTS = Duration.ofSeconds(20);

    private static final List<ObjectNode> nodes = new ArrayList<>();
    private static final List<ObjectNode> pods = new ArrayList<>();

    private static ApiServer api;
    private static int minor;
    private static ComparedCluster real;

    @BeforeAll
    static void connect(SharedCluster shared) throws IOException {
        api = ApiServer.of(shared.cluster().kubectl());
        real = new ComparedCluster(api::send);
        minor = Integer.parseInt(
                api.get("/version").body().path("minor").asText().replaceAll("[^0-9]", ""));
        ObjectMapper mapper = new ObjectMapper();
        try (InputStream objects = SimulationIT.class.getResourceAsStream("objects.yaml")) {
            for (Object document : new Yaml().loadAll(Objects.requireNonNull(objects))) {
                ObjectNode object = mapper.valueToTree(document);
                boolean node = object.path("kind").asText().equals("Node");
                (node ? nodes : pods)
                        .add(object.put("kind", node ? "Node" : "Pod").put("apiVersion", "v1"));
            }
        }
        pods.removeIf(pod -> pod.path("from").asInt() > minor);
    }

    @AfterAll
    static void clean() throws IOException {
        for (ObjectNode pod : pods) {
            api.send("DELETE", "/api/v1/namespaces/default/pods/" + name(pod), "{\"gracePeriodSeconds\":0}");
        }
        for (ObjectNode node : nodes) {
            api.send("DELETE", NODES + "/" + name(node), "");
        }
        api.close();
    }

    @Test
    void theSimulatedClusterSaysWhatARealOneSays() throws Exception {
        URI none = URI.create("http://127.0.0.1:1/");
        try (SimulatedApiServer server = SimulatedApiServer.start();
                ApiClient client = new ApiClient(server.uri())) {
            ComparedCluster simulated = new ComparedCluster((method, path, body) -> send(client, method, path, body));
            List<String> said = new ArrayList<>();
            List<String> saidBySimulation = new ArrayList<>();
            for (ObjectNode node : nodes) {
                String before = name(node) + ": ";
                said.add(before + real.createNode(ready(node)));
                saidBySimulation.add(before + simulated.createNode(ready(node)));
            }
            copyNodes(simulated);
            try (SimulatedScheduler _ = SimulatedScheduler.start(
                    server.uri(),
                    new ExtenderConfig(none, 1, Set.of(), Duration.ofSeconds(1)),
                    1,
                    InstantSource.system())) {
                said.addAll(pods(real));
                saidBySimulation.addAll(pods(simulated));
            }
            List<String> differences = new ArrayList<>();
            for (int i = 0; i < said.size(); i++) {
                String there = newer(said.get(i));
                // Kubernetes 1.20 does not name the limit's amount.
                String here = there.endsWith(" limit")
                        ? saidBySimulation.get(i).replaceAll(" limit of [^ ]+$", " limit")
                        : saidBySimulation.get(i);
                if (!there.equals(here)) {
                    differences.add("real      " + there + "\n  simulated " + here);
                }
            }
            System.out.println("e2e: " + (nodes.size() + pods.size()) + " manifests on Kubernetes 1." + minor + ", "
                    + said.size() + " statements, " + differences.size() + " differences");
            said.forEach(System.out::println);
            assertThat(differences).isEmpty();
        }
    }

    private static List<String> pods(ComparedCluster cluster) {
        List<String> said = new ArrayList<>();
        List<String> created = new ArrayList<>();
        for (ObjectNode pod : pods) {
            created.add(cluster.create(pod.deepCopy().without(List.of("from", "then"))));
        }
        for (int i = 0; i < pods.size(); i++) {
            String before = name(pods.get(i)) + ": ";
            said.add(before + created.get(i));
            if (created.get(i).startsWith("created")) {
                said.add(before + cluster.settled(name(pods.get(i))));
            }
        }
        for (ObjectNode pod : pods) {
            pod.path("then")
                    .forEach(step -> said.add(
                            name(pod) + ": " + step.asText() + " -> " + cluster.then(name(pod), step.asText())));
        }
        return said;
    }

    /** The words of Kubernetes 1.36, which the simulation has, for those of versions before 1.21. */
    private static String newer(String said) {
        return minor >= 21
                ? said
                // The reasons are sorted, in which a comma separates this one from its own end.
                : said.replaceAll("node\\(s\\) had taint \\{[^}]*}", "node(s) had untolerated taint(s)")
                        .replaceAll(", that the pod didn't tolerate", "")
                        .replaceAll(
                                "node\\(s\\) didn't match (node selector|Pod's node affinity)",
                                "node(s) didn't match Pod's node affinity/selector");
    }

    private static ObjectNode ready(ObjectNode node) {
        ObjectNode ready = node.deepCopy();
        ready.withObjectProperty("status")
                .putArray("conditions")
                .addObject()
                .put("type", "Ready")
                .put("status", "True");
        return ready;
    }

    /** Gives the simulated nodes the taints that the real controllers set, and adds the nodes that were there. */
    private static void copyNodes(ComparedCluster simulated) {
        JsonNode list = Await.until(
                TAINTS,
                "no node is tainted as not ready",
                () -> real.send("GET", NODES, "").body(),
                all -> !all.toString().contains("\"node.kubernetes.io/not-ready\""));
        for (JsonNode node : list.path("items")) {
            ObjectNode copy = new ObjectMapper().createObjectNode();
            copy.putObject("metadata").put("name", name(node)).set("labels", node.at("/metadata/labels"));
            copy.withObjectProperty("spec").set("taints", node.at("/spec/taints"));
            if (nodes.stream().anyMatch(ours -> name(ours).equals(name(node)))) {
                simulated.send("PATCH", NODES + "/" + name(node), copy.toString());
            } else {
                copy.putObject("status").set("allocatable", node.at("/status/allocatable"));
                simulated.send("POST", NODES, copy.toString());
            }
        }
        assertThat(StreamSupport.stream(
                        simulated.send("GET", NODES, "").body().path("items").spliterator(), false))
                .hasSize(list.path("items").size());
    }

    private static ApiServer.Response send(ApiClient client, String method, String path, String body)
            throws IOException {
        try {
            ObjectNode document = body.isEmpty() ? ApiClient.document() : ApiClient.document(body);
            ApiClient.Answer answer = switch (method) {
                case "GET" -> client.get(path);
                case "POST" -> client.post(path, document);
                case "DELETE" -> client.delete(path, document);
                default -> client.patch(path, document, "application/merge-patch+json");
            };
            return new ApiServer.Response(answer.code(), answer.document());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    private static String name(JsonNode object) {
        return object.at("/metadata/name").asText();
    }
}
