package io.gpushare.e2e.load;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.e2e.load.budget.Latencies;
import io.gpushare.e2e.load.client.Connection;
import io.gpushare.simulated.apiserver.SimulatedApiServer;
import io.gpushare.simulated.apiserver.store.ApiResource;
import io.gpushare.simulated.client.ApiClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures what tenants with thousands of pods that name the same claims, which change all the time, do to the pods of
 * a neighbour: how late the extender sees these, and filter.
 */
final class HostileClaims {
    private static final int TENANTS = 2;
    private static final int PODS = 2_500;
    private static final int CLAIMS = 64;
    private static final int REQUESTS = 32;
    private static final int A_SECOND = 10;
    /** How deeply fields nest that nobody reads. */
    private static final int LEVELS = 3_000;

    private static final int DIGITS = 1_100;
    private static final int NODES = 100;
    private static final Duration LOAD = Duration.ofSeconds(60);
    private static final Duration MOST = Duration.ofSeconds(150);
    private static final Duration LOOK = Duration.ofMillis(20);
    private static final String NODE = "serves-claims";
    private static final String CARD = "GPU-neighbour";

    private final SimulatedApiServer api;
    private final ServerProcess extender;
    private int changed;
    private int neighbours;

    private HostileClaims(SimulatedApiServer api, ServerProcess extender) {
        this.api = api;
        this.extender = extender;
    }

    /** Whether the extender still runs afterwards. */
    static boolean measure(Path repository, Path folder) throws IOException, InterruptedException {
        LoadRun.print(
                "%n%d tenants with %,d waiting pods each, which name the same %d claims of %d requests, and a pod and"
                        + " a claim of %,d levels; %d times a second claims are made again and pods change%n",
                TENANTS, PODS, CLAIMS, REQUESTS, LEVELS, A_SECOND);
        LoadCluster cluster = new LoadCluster(NODES);
        try (SimulatedApiServer api = SimulatedApiServer.start()) {
            cluster.fill(api);
            api.add(node());
            for (int tenant = 0; tenant < TENANTS; tenant++) {
                for (int i = 0; i < CLAIMS; i++) {
                    api.objects().put(waitingClaim(tenant, i));
                }
                for (int i = 0; i < PODS; i++) {
                    api.objects().put(waitingPod(tenant, i, ""));
                }
                api.objects().put(nestedPod(tenant, ""));
                api.objects().put(nestedClaim(tenant, ""));
            }
            Path kubeconfig = Files.writeString(folder.resolve("claims-kubeconfig"), api.kubeconfig());
            long begin = System.nanoTime();
            try (ServerProcess extender = ServerProcess.extender(
                    repository, kubeconfig, folder.resolve("claims.log"), "--decide-in=filter", "--claims")) {
                extender.await(LoadRun.READY, LoadRun.START);
                HostileClaims run = new HostileClaims(api, extender);
                LoadRun.print("  ready after %5.1f s%n", (System.nanoTime() - begin) / 1e9);
                LoadRun.print(
                        "  a neighbour's pod is seen %,d ms later at rest%n",
                        run.seen().toMillis());
                run.underLoad(cluster);
                LoadRun.print("  %,d MiB resident%n", extender.residentMib());
                return extender.alive();
            }
        }
    }

    private void underLoad(LoadCluster cluster) throws IOException {
        byte[] filter = Connection.post(
                VerbRun.VERBS + "filter",
                LoadCluster.arguments(LoadCluster.pod("ordinary", 1000, 2), cluster.names(new Random(1))));
        Latencies times = new Latencies(1_000_000);
        Duration longest = Duration.ZERO;
        Duration cpu = extender.cpu();
        long begin = System.nanoTime();
        try (ScheduledExecutorService changing = Executors.newSingleThreadScheduledExecutor();
                Connection kept = new Connection(extender.port())) {
            ScheduledFuture<?> changes =
                    changing.scheduleAtFixedRate(this::change, 0, 1_000 / A_SECOND, TimeUnit.MILLISECONDS);
            while (System.nanoTime() - begin < LOAD.toNanos()) {
                Duration seen = seen();
                longest = seen.compareTo(longest) > 0 ? seen : longest;
                for (int i = 0; i < 20; i++) {
                    long call = System.nanoTime();
                    kept.call(filter);
                    times.add(System.nanoTime() - call);
                }
            }
            changes.cancel(false);
        }
        double seconds = (System.nanoTime() - begin) / 1e9;
        LoadRun.print(
                "  under load of %.0f s: a neighbour's pod is seen at the latest %,d ms later; filter p99 %.2f ms;"
                        + " %.2f processors%n",
                seconds,
                longest.toMillis(),
                times.millis(0.99),
                extender.cpu().minus(cpu).toNanos() / 1e9 / seconds);
    }

    private void change() {
        for (int tenant = 0; tenant < TENANTS; tenant++) {
            String claim = "c" + changed % CLAIMS;
            api.objects().remove(ApiResource.RESOURCE_CLAIMS, namespace(tenant), claim);
            api.objects().put(waitingClaim(tenant, changed % CLAIMS));
            api.objects().put(waitingPod(tenant, changed % PODS, String.valueOf(changed)));
            api.objects().put(nestedPod(tenant, String.valueOf(changed)));
            api.objects().put(nestedClaim(tenant, String.valueOf(changed)));
        }
        changed++;
    }

    /** How long after a pod was bound that has a claim the extender shows it; {@link #MOST} if it does not. */
    private Duration seen() throws IOException {
        String name = "neighbour-" + neighbours++;
        api.objects().put(held(name));
        ObjectNode pod = claiming("neighbour", name, "");
        pod.withObject("/spec").put("nodeName", NODE);
        pod.withObject("/status").put("phase", "Running");
        pod.withObject("/spec")
                .withArray("resourceClaims")
                .addObject()
                .put("name", "gpu")
                .put("resourceClaimName", name);
        api.objects().put(pod);
        long begin = System.nanoTime();
        byte[] look = ("GET /gpushare-scheduler/inspect/" + NODE + " HTTP/1.1\r\nHost: extender\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        try (Connection connection = new Connection(extender.port())) {
            while (System.nanoTime() - begin < MOST.toNanos()) {
                connection.call(look);
                if (new String(connection.response(), StandardCharsets.UTF_8).contains("\"" + name + "\"")) {
                    break;
                }
                LockSupport.parkNanos(LOOK.toNanos());
            }
        }
        Duration seen = Duration.ofNanos(System.nanoTime() - begin);
        api.objects().remove(ApiResource.PODS, "neighbour", name);
        api.objects().remove(ApiResource.RESOURCE_CLAIMS, "neighbour", name);
        return seen;
    }

    private static String namespace(int tenant) {
        return "tenant-" + tenant;
    }

    private static ObjectNode node() {
        ObjectNode node = ApiClient.document("{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"" + NODE
                + "\",\"annotations\":{}},\"status\":{\"allocatable\":{\"cpu\":\"128\",\"memory\":\"1007Gi\"}}}");
        node.withObject("/metadata/annotations")
                .put(
                        "gpushare.io/inventory",
                        "{\"version\":1,\"unitMiB\":1024,\"noCards\":{\"reason\":\"serves_claims\",\"detail\":\"\"},"
                                + "\"cards\":[{\"uuid\":\""
                                + CARD + "\",\"index\":0,\"minor\":0,\"model\":\"A100\",\"memoryMiB\":40960}]}");
        return node;
    }

    private static ObjectNode claiming(String namespace, String name, String label) {
        return ApiClient.document("""
            {"apiVersion":"v1","kind":"Pod",
             "metadata":{"name":"%1$s","namespace":"%2$s","uid":"%2$s-%1$s","labels":{"changed":"x%3$s"}},
             "spec":{"containers":[{"name":"main","image":"example/model:1"}]},"status":{"phase":"Pending"}}
            """.formatted(name, namespace, label));
    }

    private static ObjectNode waitingPod(int tenant, int number, String label) {
        ObjectNode pod = claiming(namespace(tenant), "p" + number, label);
        ArrayNode claims = pod.withObject("/spec").withArray("resourceClaims");
        for (int i = 0; i < CLAIMS; i++) {
            claims.addObject().put("name", "c" + i).put("resourceClaimName", "c" + i);
        }
        return pod;
    }

    private static ObjectNode claim(String namespace, String name) {
        return ApiClient.document("""
            {"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim",
             "metadata":{"name":"%1$s","namespace":"%2$s","uid":"%2$s-claim-%1$s"},"spec":{"devices":{}}}
            """.formatted(name, namespace));
    }

    private static ObjectNode waitingClaim(int tenant, int number) {
        ObjectNode claim = claim(namespace(tenant), "c" + number);
        ArrayNode requests = claim.withObject("/spec/devices").withArray("requests");
        for (int i = 0; i < REQUESTS; i++) {
            requests.addObject()
                    .put("name", "r" + i)
                    .putObject("exactly")
                    .put("deviceClassName", "gpushare")
                    .putObject("capacity")
                    .putObject("requests")
                    .put("memory", (i + 1) + "Gi");
        }
        return claim;
    }

    /** The API server keeps what a caller says that it manages. */
    private static ObjectNode nestedPod(int tenant, String label) {
        ObjectNode pod = claiming(namespace(tenant), "nested", label);
        pod.withObject("/metadata").putArray("managedFields").addObject().set("fieldsV1", nested());
        return pod;
    }

    private static ObjectNode nestedClaim(int tenant, String label) {
        ObjectNode claim = claim(namespace(tenant), "nested");
        claim.withObject("/metadata/labels").put("changed", "x" + label);
        claim.withObject("/spec/devices")
                .putArray("config")
                .addObject()
                .putObject("opaque")
                .put("driver", "example.com")
                .set("parameters", nested());
        return claim;
    }

    private static ObjectNode nested() {
        return ApiClient.document("{\"a\":".repeat(LEVELS) + "1".repeat(DIGITS) + "}".repeat(LEVELS));
    }

    /** A claim that has a share of the card, for the pod of its name. */
    private static ObjectNode held(String name) {
        ObjectNode claim = claim("neighbour", name);
        ObjectNode status = claim.putObject("status");
        ObjectNode result = status.putObject("allocation")
                .putObject("devices")
                .putArray("results")
                .addObject()
                .put("request", "gpu")
                .put("driver", "gpushare.io")
                .put("pool", NODE)
                .put("device", "gpu-neighbour")
                .put("shareID", "s");
        result.putObject("consumedCapacity").put("memory", "2Gi");
        status.putArray("reservedFor")
                .addObject()
                .put("resource", "pods")
                .put("name", name)
                .put("uid", "neighbour-" + name);
        return claim;
    }
}
