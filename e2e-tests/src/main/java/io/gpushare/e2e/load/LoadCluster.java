package io.gpushare.e2e.load;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.apiserver.SimulatedApiServer;
import io.gpushare.simulated.client.ApiClient;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The cluster under load: nodes of cards of 40 units. On every tenth node no units are free, on the others 8 units per
 * card.
 *
 * @param cards on each node
 * @param podsPerCard a divisor of 8
 */
record LoadCluster(int nodes, int cards, int podsPerCard) {
    private static final int UNITS = 40;
    private static final int FREE = 8;
    // kube-scheduler has 16 workers, of which as many run at once as it has processors.
    private static final int WORKERS = 8;

    /** Nodes of 8 cards with 4 pods per card. */
    LoadCluster(int nodes) {
        this(nodes, 8, 4);
    }

    /** The number of nodes where a pod of a few units fits. */
    int feasible() {
        return nodes - (nodes + 9) / 10;
    }

    /** The number of free units, each on a feasible node. */
    int free() {
        return feasible() * cards * FREE;
    }

    int pods() {
        return nodes * cards * podsPerCard;
    }

    static String node(int number) {
        return "gpu-node-%05d.example.internal".formatted(number);
    }

    void fill(SimulatedApiServer api) {
        for (int number = 0; number < nodes; number++) {
            api.add(nodeObject(node(number)));
            int each = (number % 10 == 0 ? UNITS : UNITS - FREE) / podsPerCard;
            for (int card = 0; card < cards; card++) {
                for (int pod = 0; pod < podsPerCard; pod++) {
                    api.add(bound(number, card, pod, each));
                }
            }
        }
    }

    static String uuid(String node, int card) {
        return "GPU-%s-0000-0000-0000-%012d".formatted(node.substring(9, 14), card);
    }

    private ObjectNode nodeObject(String name) {
        String inventory = IntStream.range(0, cards)
                .mapToObj(i -> ("{\"uuid\":\"%s\",\"index\":%d,\"minor\":%d,\"model\":\"NVIDIA A100-SXM4-40GB\","
                                + "\"memoryMiB\":%d}")
                        .formatted(uuid(name, i), i, i, UNITS * 1024))
                .collect(Collectors.joining(","));
        ObjectNode node = ApiClient.document("{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"" + name
                + "\",\"annotations\":{}},\"status\":{\"allocatable\":{\"cpu\":\"128\",\"memory\":\"1007Gi\"}}}");
        node.withObject("/metadata/annotations")
                .put("gpushare.io/inventory", "{\"version\":1,\"unitMiB\":1024,\"cards\":[" + inventory + "]}");
        return node;
    }

    private static ObjectNode bound(int number, int card, int pod, int units) {
        String node = node(number);
        ObjectNode object = pod("used-%d-%d-%d".formatted(number, card, pod), 2000, units);
        object.withObject("/metadata")
                .withObject("/annotations")
                .put(
                        "gpushare.io/allocation",
                        "{\"version\":1,\"unitMiB\":1024,\"containers\":[{\"name\":\"main\",\"memory\":{\""
                                + uuid(node, card) + "\":" + units + "}}]}");
        object.withObject("/spec").put("nodeName", node);
        object.withObject("/status").put("phase", "Running");
        return object;
    }

    /** A pod that requests cpu, memory and units. */
    static ObjectNode pod(String name, int cpuMilli, int units) {
        return ApiClient.document("""
            {"apiVersion":"v1","kind":"Pod","metadata":{"name":"%s","namespace":"load","labels":{"app":"load"}},
             "spec":{"containers":[{"name":"main","image":"example/model:1","resources":{
               "requests":{"cpu":"%dm","memory":"4Gi","aliyun.com/gpu-mem":"%d"},
               "limits":{"memory":"4Gi","aliyun.com/gpu-mem":"%d"}}}]},
             "status":{"phase":"Pending"}}\
            """.formatted(name, cpuMilli, units, units));
    }

    /** The body of filter and prioritize. */
    static byte[] arguments(ObjectNode pod, String names) {
        return ("{\"Pod\":" + pod + ",\"Nodes\":null,\"NodeNames\":[" + names + "]}").getBytes(StandardCharsets.UTF_8);
    }

    /** The names of all nodes as JSON strings, in the order of {@link #numbers}. */
    String names(Random random) {
        return numbers(random).mapToObj(number -> "\"" + node(number) + "\"").collect(Collectors.joining(","));
    }

    /**
     * The node numbers in an order that kube-scheduler produces: parallel workers each filter a chunk of consecutive
     * nodes and append the feasible ones (findNodesThatPassFilters; the chunk size is the square root of the number of
     * nodes, parallelize.chunkSizeFor).
     */
    private IntStream numbers(Random random) {
        int chunk = (int) Math.sqrt(nodes) + 1;
        int[] next = new int[WORKERS];
        int[] end = new int[WORKERS];
        int[] taken = {0};
        return IntStream.generate(() -> {
                    while (true) {
                        int worker = random.nextInt(WORKERS);
                        if (next[worker] == end[worker]) {
                            next[worker] = taken[0];
                            taken[0] = Math.min(taken[0] + chunk, nodes);
                            end[worker] = taken[0];
                        }
                        if (next[worker] < end[worker]) {
                            return next[worker]++;
                        }
                    }
                })
                .limit(nodes);
    }
}
