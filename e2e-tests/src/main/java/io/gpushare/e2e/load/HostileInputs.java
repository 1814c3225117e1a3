package io.gpushare.e2e.load;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.e2e.load.budget.Budget;
import io.gpushare.e2e.load.budget.Budgets;
import io.gpushare.e2e.load.budget.Latencies;
import io.gpushare.e2e.load.client.Connection;
import io.gpushare.simulated.apiserver.SimulatedApiServer;
import io.gpushare.simulated.apiserver.store.ApiResource;
import io.gpushare.simulated.client.ApiClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What the token of one node, and a caller without a certificate, can do to the pods of others: inventories that no
 * node has, written again and again, and requests that name somebody's waiting pod.
 */
final class HostileInputs {
    private static final String NODE = "hostile-cards";
    private static final String SMALL_NODE = "two-cards";
    private static final Duration WRITES = Duration.ofMillis(500);
    private static final Duration EACH = Duration.ofSeconds(8);
    private static final Duration WATCH = Duration.ofSeconds(10);
    private static final int UNITS = 40;

    private final SimulatedApiServer api;
    private final Connection kept;
    private final Budgets budgets;
    private final int nodes;

    HostileInputs(SimulatedApiServer api, Connection kept, Budgets budgets, int nodes) {
        this.api = api;
        this.kept = kept;
        this.budgets = budgets;
        this.nodes = nodes;
    }

    /** @param ordinary a request of filter for an ordinary pod */
    void measure(byte[] ordinary) throws IOException {
        api.add(node(NODE));
        Map<String, String> inventories = new LinkedHashMap<>();
        inventories.put("2,200 cards of 2,200 models", cards(2_200, false));
        inventories.put("1,200 instances of 1,200 profiles", cards(1_200, true));
        inventories.put("256 cards of 256 models", cards(256, false));
        inventories.put("255 instances of 255 profiles", cards(255, true));
        for (Map.Entry<String, String> each : inventories.entrySet()) {
            inventory(each.getKey(), each.getValue(), ordinary);
        }
        annotate(NODE, "");
        reservation();
    }

    /** Filter of ordinary pods while the node's inventory is written twice a second. */
    private void inventory(String what, String cards, byte[] ordinary) throws IOException {
        Latencies times = new Latencies(1_000_000);
        try (ScheduledExecutorService writer = Executors.newSingleThreadScheduledExecutor()) {
            int[] writes = {0};
            ScheduledFuture<?> writing = writer.scheduleAtFixedRate(
                    // The size of one card changes, as every inventory counts that is not the one before.
                    () -> annotate(
                            NODE, cards.replace("\"memoryMiB\":40960", "\"memoryMiB\":" + (40_960 + ++writes[0]))),
                    0,
                    WRITES.toMillis(),
                    TimeUnit.MILLISECONDS);
            long end = System.nanoTime() + EACH.toNanos();
            while (System.nanoTime() < end && times.count() < 1_000_000) {
                long begin = System.nanoTime();
                kept.call(ordinary);
                times.add(System.nanoTime() - begin);
            }
            writing.cancel(false);
        }
        LoadRun.print(
                "  filter, inventory of %-35s p50 %7.2f ms  p99 %7.2f ms  longest %7.2f ms  (%,d calls)%n",
                what, times.millis(0.5), times.millis(0.99), times.millis(1), times.count());
        budgets.check(Budget.HOSTILE_P99, nodes, times.millis(0.99));
    }

    /** Whether a caller who names a waiting pod of one unit and requests two cards for it takes these from others. */
    private void reservation() throws IOException {
        ObjectNode node = node(SMALL_NODE);
        api.add(node);
        annotate(
                SMALL_NODE,
                document(IntStream.range(0, 2)
                        .mapToObj(i -> card("GPU-small-", i, "A100", 40_960, ""))
                        .collect(Collectors.joining(","))));
        ObjectNode waiting = LoadCluster.pod("somebody-waits", 100, 1);
        waiting.withObject("/metadata").put("uid", "somebody");
        api.add(waiting);
        long limit = System.nanoTime() + WATCH.toNanos();
        boolean before = fits();
        while (!before && System.nanoTime() < limit) {
            LockSupport.parkNanos(WRITES.toNanos()); // until the watch has shown both
            before = fits();
        }
        ObjectNode forged = waiting.deepCopy();
        for (String amounts : new String[] {"requests", "limits"}) {
            ObjectNode resources =
                    (ObjectNode) forged.withArray("/spec/containers").get(0).get("resources");
            resources.putObject(amounts).put("aliyun.com/gpu-count", "2");
        }
        kept.call(filter(forged));
        LoadRun.print(
                "  a pod of %d units fits on a node with two cards: %s; after a caller requested both cards for a"
                        + " waiting pod of 1 unit: %s%n",
                UNITS - 1, before, fits());
    }

    private boolean fits() throws IOException {
        kept.call(filter(LoadCluster.pod("large", 100, UNITS - 1)));
        return new String(kept.response(), StandardCharsets.UTF_8).contains("\"NodeNames\":[\"" + SMALL_NODE);
    }

    private static byte[] filter(ObjectNode pod) {
        return Connection.post(VerbRun.VERBS + "filter", LoadCluster.arguments(pod, "\"" + SMALL_NODE + "\""));
    }

    private void annotate(String name, String inventory) {
        api.objects().update(ApiResource.NODES, "", name, found -> {
            found.withObject("/metadata").withObject("/annotations").put("gpushare.io/inventory", inventory);
            return found;
        });
    }

    private static ObjectNode node(String name) {
        return ApiClient.document("{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"" + name
                + "\",\"annotations\":{}},\"status\":{\"allocatable\":{\"cpu\":\"128\",\"memory\":\"1007Gi\"}}}");
    }

    /** That many cards, each of a model of its own; or one card and that many instances, each of its own profile. */
    private static String cards(int count, boolean instances) {
        String own = IntStream.range(0, count)
                .mapToObj(i -> instances
                        ? card(
                                "MIG-hostile-",
                                i + 1,
                                "A100",
                                1_024 * (i % UNITS + 1),
                                ",\"profile\":\"1g." + i + "gb\",\"parent\":\"GPU-hostile-0\",\"gi\":" + i
                                        + ",\"ci\":0")
                        : card("GPU-hostile-", i + 1, "M" + i, 1_024 * (i % UNITS + 1), ""))
                .collect(Collectors.joining(","));
        return document(card("GPU-hostile-", 0, "A100", 40_960, "") + "," + own);
    }

    private static String card(String uuid, int index, String model, int mib, String more) {
        return "{\"uuid\":\"%s%d\",\"index\":%d,\"model\":\"%s\",\"memoryMiB\":%d%s}"
                .formatted(uuid, index, index, model, mib, more);
    }

    private static String document(String cards) {
        return "{\"version\":1,\"unitMiB\":1024,\"cards\":[" + cards + "]}";
    }
}
