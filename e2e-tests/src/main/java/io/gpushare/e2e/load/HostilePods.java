package io.gpushare.e2e.load;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.apiserver.SimulatedApiServer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The pods of tenants who want to stop scheduling. Every one of them is one that an API server accepts. */
final class HostilePods {
    /** The node of the plugin under test, which has no other pods. */
    static final String NODE = "hostile-node";

    static final int ANNOTATED = 500;
    static final int COMPLETED = 20_000;
    static final int WAITING = 4_500;

    // The API accepts 256 KiB for all annotations of an object together.
    private static final String LONG = "x".repeat(250_000);
    private static final List<String> KEYS =
            List.of("example.com/notes", "gpushare.io/x", "gpushare.io/select", "gpushare.io/allocation");
    private static final String UNUSED_UUID = "GPU-ffffffff-0000-4000-8000-%012d";

    private HostilePods() {}

    /** Pods on the node with annotations of 250 KB. */
    static void annotated(SimulatedApiServer api, String name, int count) {
        for (int i = 0; i < count; i++) {
            add(api, onNode(name + "-" + i, "Running"), Map.of(KEYS.get(i % KEYS.size()), LONG));
        }
    }

    /** Pods on the node that have ended, each of the size of an ordinary pod. */
    static void completed(SimulatedApiServer api) {
        for (int i = 0; i < COMPLETED; i++) {
            add(api, onNode("completed-" + i, "Succeeded"), Map.of("example.com/notes", LONG.substring(0, 4_000)));
        }
    }

    /**
     * Pods for which kube-scheduler found no node, with 250 KB under our prefix and each with another long selector.
     */
    static void waiting(SimulatedApiServer api) {
        for (int i = 0; i < WAITING; i++) {
            ObjectNode pod = LoadCluster.pod("waiting-" + i, 1000, 1);
            pod.withObject("/status")
                    .putArray("conditions")
                    .addObject()
                    .put("type", "PodScheduled")
                    .put("status", "False")
                    .put("reason", "Unschedulable");
            String selector = "model in (" + list(99, "X" + i + " %02d") + ")";
            add(api, pod, Map.of("gpushare.io/x", LONG, "gpushare.io/select", selector));
        }
    }

    private static ObjectNode onNode(String name, String phase) {
        ObjectNode pod = LoadCluster.pod(name, 10, 1);
        pod.withObject("/spec").put("nodeName", NODE);
        pod.withObject("/status").put("phase", phase);
        return pod;
    }

    private static void add(SimulatedApiServer api, ObjectNode pod, Map<String, String> annotations) {
        api.add(annotated(pod, annotations));
    }

    private static ObjectNode annotated(ObjectNode pod, Map<String, String> annotations) {
        annotations.forEach(pod.withObject("/metadata").withObject("/annotations")::put);
        return pod;
    }

    /** Pods whose selectors take the most time, by what is special about them. */
    static Map<String, ObjectNode> selectors(LoadCluster cluster) {
        Map<String, ObjectNode> pods = new LinkedHashMap<>();
        pods.put(
                "128 models, none fits",
                selecting("gpushare.io/select", "model in (" + list(128, "H100 PCIe %d") + ")"));
        pods.put(
                "128 other models",
                selecting("gpushare.io/select", "model not in (" + list(128, "H100 PCIe %d") + ")"));
        pods.put("128 parts of models", selecting("nvidia.com/nouse-gputype", list(128, "H100-PCIE-80GB %d")));
        pods.put("32 conditions of 7 models", selecting("gpushare.io/select", conditions()));
        pods.put("99 unused UUIDs", selecting("nvidia.com/use-gpuuuid", list(99, UNUSED_UUID)));
        pods.put("99 UUIDs excluded", selecting("nvidia.com/nouse-gpuuuid", list(99, UNUSED_UUID)));
        pods.put("99 UUIDs of 99 nodes", selecting("nvidia.com/use-gpuuuid", ofDistinctNodes(cluster)));
        pods.put(
                "all of it, split over " + cluster.cards() + " cards",
                split(
                        cluster,
                        Map.of(
                                "gpushare.io/select", conditions(),
                                "nvidia.com/nouse-gpuuuid", list(32, UNUSED_UUID))));
        pods.put(
                "99 UUIDs excluded, split over " + cluster.cards() + " cards",
                split(cluster, Map.of("nvidia.com/nouse-gpuuuid", ofDistinctNodes(cluster))));
        pods.put("250 KB of other annotations", selecting("example.com/notes", LONG));
        return pods;
    }

    private static ObjectNode selecting(String key, String value) {
        return annotated(LoadCluster.pod("selecting", 1000, 2), Map.of(key, value));
    }

    private static ObjectNode split(LoadCluster cluster, Map<String, String> annotations) {
        ObjectNode pod = LoadCluster.pod("split", 1000, 2 * cluster.cards());
        return annotated(annotated(pod, annotations), Map.of("gpushare.io/cards", String.valueOf(cluster.cards())));
    }

    private static String conditions() {
        return IntStream.range(0, 32)
                .mapToObj(i -> "model not in (" + list(7, "X" + i + " %03d") + ")")
                .collect(Collectors.joining(", "));
    }

    private static String ofDistinctNodes(LoadCluster cluster) {
        return IntStream.range(0, 99)
                .mapToObj(i -> LoadCluster.uuid(LoadCluster.node(i * (cluster.nodes() / 99)), i % cluster.cards()))
                .collect(Collectors.joining(","));
    }

    private static String list(int count, String form) {
        return IntStream.range(0, count).mapToObj(form::formatted).collect(Collectors.joining(","));
    }
}
