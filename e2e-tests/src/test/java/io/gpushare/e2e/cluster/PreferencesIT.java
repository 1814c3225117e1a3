package io.gpushare.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A real kube-scheduler honours what GPU pods prefer, on a cluster of two nodes, and the policy places all others. */
@Tag("cluster")
@Tag("release")
class PreferencesIT {
    private static final Map<String, String> THREE = Map.of("main", "aliyun.com/gpu-mem: 3");

    private static LocalCluster cluster;
    private static List<String> nodes;
    private static Pods pods;

    @BeforeAll
    static void install() {
        assumeThat(Cluster.usesKind())
                .as("kind, whose cluster here has one node")
                .isFalse();
        cluster = LocalCluster.start(SharedCluster.ROOT);
        nodes = List.of(cluster.node(), cluster.addNode());
        Installation installation = new Installation(cluster, SharedCluster.ROOT);
        installation.install();
        installation.simulate(Map.of(
                nodes.get(0), List.of(SharedCluster.twoT4()),
                nodes.get(1),
                        List.of("card kind=T4 uuid-seed=c memory=15GiB", "card kind=T4 uuid-seed=d memory=15GiB")));
        pods = new Pods(cluster);
        Await.until(
                Duration.ofSeconds(60),
                "both nodes offer their cards",
                () -> cluster.kubectl().json("get", "nodes").at("/items"),
                all -> all.valueStream()
                        .allMatch(node -> node.at("/status/allocatable/aliyun.com~1gpu-mem")
                                .asText()
                                .equals("30")));
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    @AfterEach
    void clean() {
        pods.deleteEverything();
    }

    @Test
    void aPreferredNodeAffinityDecides() {
        for (String node : nodes) {
            String name = "prefers-" + nodes.indexOf(node);
            cluster.kubectl().apply(stating(name, """
                  affinity:
                    nodeAffinity:
                      preferredDuringSchedulingIgnoredDuringExecution:
                        - weight: 1
                          preference:
                            matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [%s]}]
                """.formatted(node)));
            assertThat(nodeOf(name)).isEqualTo(node);
        }
    }

    @Test
    void aSoftSpreadSpreads() {
        spreads("spread", """
              topologySpreadConstraints:
                - maxSkew: 1
                  topologyKey: kubernetes.io/hostname
                  whenUnsatisfiable: ScheduleAnyway
                  labelSelector: {matchLabels: {app: preferences}}
            """);
    }

    @Test
    void aPreferredAntiAffinitySpreads() {
        spreads("apart", """
              affinity:
                podAntiAffinity:
                  preferredDuringSchedulingIgnoredDuringExecution:
                    - weight: 100
                      podAffinityTerm:
                        topologyKey: kubernetes.io/hostname
                        labelSelector: {matchLabels: {app: preferences}}
            """);
    }

    private static void spreads(String name, String preference) {
        List<String> chosen = IntStream.range(0, 4)
                .mapToObj(i -> {
                    cluster.kubectl().apply(stating(name + i, preference));
                    return nodeOf(name + i);
                })
                .toList();
        System.out.println("e2e: " + name + ": " + chosen);
        assertThat(chosen).containsAll(nodes);
        assertThat(chosen.subList(0, 2)).doesNotHaveDuplicates();
    }

    @Test
    void podsWithoutPreferencesGoWhereThePolicyPacksThem() {
        List<String> chosen = IntStream.range(0, 4)
                .mapToObj(i -> {
                    cluster.kubectl()
                            .apply(pods.manifest("packed" + i, Map.of("gpushare.io/policy", "binpack"), THREE));
                    return nodeOf("packed" + i);
                })
                .toList();
        System.out.println("e2e: without preferences: " + chosen);
        assertThat(chosen).containsOnly(chosen.getFirst());
    }

    private static String stating(String name, String preference) {
        return pods.manifest(name, THREE)
                .replace("annotations: {", "labels: {app: preferences}, annotations: {")
                .replace("spec:\n", "spec:\n" + preference);
    }

    private static String nodeOf(String name) {
        JsonNode pod = pods.running(name);
        return pod.at("/spec/nodeName").asText();
    }
}
