package io.gpushare.extender.claims;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.running.RunningExtender;
import io.gpushare.extender.running.TestApiServer;
import io.gpushare.extender.running.WithView;
import io.gpushare.time.Clocks;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;

/** A node that serves claims, with two cards of 15 GiB, and an extender that watches claims. */
abstract class WithClaims extends WithView {
    static final String SERVING =
            TestApiServer.TWO_T4.replace("}]}", "}],\"noCards\":{\"reason\":\"serves_claims\",\"detail\":\"\"}}");

    @Override
    protected void fill(TestApiServer cluster) {
        cluster.node("c", SERVING);
    }

    @BeforeEach
    @Override
    protected void startExtender() throws Exception {
        api = new TestApiServer();
        fill(api);
        extender = running().ready();
        await().until(() -> !heard().equals("0.0"));
    }

    @Override
    protected RunningExtender running() throws IOException {
        return RunningExtender.watchingClaims(api.kubeconfig(folder), Clocks.system());
    }

    /** When the API server last sent something about claims. */
    String heard() throws Exception {
        return extender.get("/metrics")
                .body()
                .lines()
                .filter(line ->
                        line.startsWith("gpushare_extender_informer_heard_timestamp_seconds{resource=\"claims\"}"))
                .map(line -> line.replaceAll(".* ", ""))
                .findFirst()
                .orElse("0.0");
    }

    /** A claim of so much memory of one card, or of all for null, that has nothing. */
    void claim(String name, @Nullable String memory) {
        put(name, memory, null, null, List.of());
    }

    /** The same with that card of node c. */
    void allocated(String name, @Nullable String memory, String device, String... pods) {
        put(name, memory, device, memory == null ? "15Gi" : memory, List.of(pods));
    }

    private void put(
            String name,
            @Nullable String memory,
            @Nullable String device,
            @Nullable String consumed,
            List<String> pods) {
        JsonObject exactly = new JsonObject().put("deviceClassName", "gpushare").put("count", 1);
        if (memory != null) {
            exactly.put("capacity", new JsonObject().put("requests", new JsonObject().put("memory", memory)));
        }
        JsonObject status = new JsonObject();
        if (device != null) {
            JsonArray reserved = new JsonArray();
            pods.forEach(pod -> reserved.add(
                    new JsonObject().put("resource", "pods").put("name", pod).put("uid", "uid-" + pod)));
            status.put("reservedFor", reserved)
                    .put(
                            "allocation",
                            new JsonObject()
                                    .put(
                                            "devices",
                                            new JsonObject()
                                                    .put("results", new JsonArray().add(result(device, consumed)))));
        }
        api.put(new JsonObject()
                .put("apiVersion", "resource.k8s.io/v1")
                .put("kind", "ResourceClaim")
                .put(
                        "metadata",
                        new JsonObject()
                                .put("name", name)
                                .put("namespace", "default")
                                .put("uid", "uid-claim-" + name))
                .put(
                        "spec",
                        new JsonObject()
                                .put(
                                        "devices",
                                        new JsonObject()
                                                .put(
                                                        "requests",
                                                        new JsonArray()
                                                                .add(new JsonObject()
                                                                        .put("name", "gpu")
                                                                        .put("exactly", exactly)))))
                .put("status", status)
                .encode());
    }

    private static JsonObject result(String device, @Nullable String consumed) {
        return new JsonObject()
                .put("request", "gpu")
                .put("driver", "gpushare.io")
                .put("pool", "c")
                .put("device", device)
                .put("shareID", "0b9a3b1c-7a35-4c7e-9d4e-2f2d5b8f0a11")
                .put(
                        "consumedCapacity",
                        new JsonObject()
                                .put("memory", consumed)
                                .put("cores", "0")
                                .put("slots", "1"));
    }

    /** A pod that names that claim and is not bound. */
    void pod(String name, String claim) {
        api.pod(name, "uid-" + name, new JsonObject());
        api.spec(name, "{\"resourceClaims\":[{\"name\":\"gpu\",\"resourceClaimName\":\"" + claim + "\"}]}");
    }

    /** A pod with its claim, both of one name, that runs on node c. */
    void running(String name, @Nullable String memory, String device) {
        pod(name, name);
        api.boundByOther(name, "c", Map.of());
        api.runs(name, 30);
        allocated(name, memory, device, name);
        await().until(() -> text("top-pods").contains(" " + name + " "));
    }

    /** A pod for which kube-scheduler finds no node, with its claim. */
    void waiting(String name, @Nullable String memory) {
        claim(name, memory);
        pod(name, name);
        api.unscheduled(name, "Unschedulable", "0/1 nodes are available: 1 cannot allocate all claims.");
        await().until(() -> extender.ledger.waitingForOthers().stream()
                .anyMatch(pod -> pod.ref().name().equals(name)));
    }

    /** The same with what the claim says of devices. */
    void waitingFor(String name, String devices) {
        api.put("""
            {"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","spec":{"devices":%s},
             "metadata":{"name":"%s","namespace":"default","uid":"uid-claim-%s"}}\
            """.formatted(devices, name, name));
        pod(name, name);
        api.unscheduled(name, "Unschedulable", "0/1 nodes are available: 1 cannot allocate all claims.");
        await().until(() -> extender.ledger.waitingForOthers().stream()
                .anyMatch(pod -> pod.ref().name().equals(name)));
    }

    /** The value of a metric. */
    void metric(String line) {
        await().untilAsserted(() -> assertThat(extender.get("/metrics").body()).contains("\n" + line + "\n"));
    }
}
