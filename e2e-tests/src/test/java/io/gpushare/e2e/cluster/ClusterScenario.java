package io.gpushare.e2e.cluster;

import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A scenario on a real Kubernetes with both programs in their images. Each test starts with two T4 cards and no pod.
 */
@Tag("cluster")
@ExtendWith(SharedCluster.Extension.class)
public abstract class ClusterScenario {
    public static final Path ROOT = SharedCluster.ROOT;
    public static final String MEMORY = "aliyun.com/gpu-mem";
    /** The cards of a node with two T4. */
    public static String[] twoT4() {
        return SharedCluster.twoT4();
    }

    public static final Duration NODE_STATUS = Duration.ofSeconds(45);
    private static final ObjectMapper JSON = new ObjectMapper();

    public static SharedCluster shared;
    public static Cluster cluster;
    public static Installation installation;
    public static Pods pods;

    @BeforeAll
    public static void install(SharedCluster sharedCluster) {
        shared = sharedCluster;
        cluster = shared.cluster();
        installation = shared.installation();
        pods = shared.pods();
        shared.withPrograms();
    }

    @AfterEach
    public void clean() {
        pods.deleteEverything();
        installation.cards(twoT4());
        allocatable(units(), 2);
    }

    /** The memory units that the node offers between two tests: of the whole cards, where no isolation keeps any. */
    public int units() {
        return 30;
    }

    /** Skips the test on a Kubernetes that lacks that, by {@code e2e-tests/version-features}. */
    public static void needs(String feature) throws IOException {
        needs(cluster, feature);
    }

    /** The same for a scenario that is not one of these. */
    public static void needs(Cluster cluster, String feature) throws IOException {
        String line = Files.readAllLines(ROOT.resolve("e2e-tests/version-features")).stream()
                .filter(each -> each.startsWith(feature + " "))
                .findFirst()
                .orElseThrow();
        String[] words = line.split(" +", 3);
        String[] versions = words[1].split("-", -1);
        String minor =
                cluster.kubectl().run("get", "--raw", "/version").replaceAll("(?s).*\"minor\": *\"([0-9]+).*", "$1");
        assumeThat(Integer.parseInt(minor))
                .as(words[2])
                .isBetween(Integer.parseInt(versions[0]), versions[1].isEmpty() ? 999 : Integer.parseInt(versions[1]));
    }

    public static String cardOf(String pod, String container) {
        return cardOf(pods.pod(pod), container);
    }

    /** The container's cards in the pod's annotation, in the format of the environment variable. */
    public static String cardOf(JsonNode pod, String container) {
        JsonNode allocation = allocation(pod);
        for (JsonNode entry : allocation.path("containers")) {
            if (entry.path("name").asText().equals(container)) {
                return entry.has("cards")
                        ? entry.get("cards").valueStream().map(JsonNode::asText).collect(Collectors.joining(","))
                        : String.join(",", new HashSet<>(fieldNames(entry.get("memory"))));
            }
        }
        throw new AssertionError("no allocation for container " + container + " in: " + allocation);
    }

    /** The pod's allocation in its annotation. */
    public static JsonNode allocation(JsonNode pod) {
        String written = pod.at("/metadata/annotations/gpushare.io~1allocation").asText();
        try {
            return JSON.readTree(written);
        } catch (IOException e) {
            throw new AssertionError("the allocation annotation is no JSON: " + written, e);
        }
    }

    public static List<String> fieldNames(JsonNode object) {
        return object.propertyStream().map(Map.Entry::getKey).toList();
    }

    /** The driver's index of the card. It differs from the position in the inventory, which keeps lost cards. */
    public static int indexOf(String uuid) {
        return inventory()
                .valueStream()
                .filter(card -> card.path("uuid").asText().equals(uuid))
                .findFirst()
                .orElseThrow()
                .path("index")
                .intValue();
    }

    public static JsonNode inventory() {
        JsonNode node = cluster.kubectl().json("get", "node", cluster.node());
        String written = node.at("/metadata/annotations/gpushare.io~1inventory").asText();
        try {
            return JSON.readTree(written).path("cards");
        } catch (IOException e) {
            throw new AssertionError("the inventory annotation is no JSON: " + written, e);
        }
    }

    public static String events(String pod) {
        return events(cluster, pod);
    }

    public static String events(Cluster cluster, String pod) {
        return cluster.kubectl()
                .run("-n", "default", "get", "events", "--field-selector", "involvedObject.name=" + pod);
    }

    public static void allocatable(int units, int cards) {
        shared.awaitAllocatable(units, cards);
    }

    public static String allocatable() {
        return shared.allocatable();
    }
}
