package io.gpushare.extender.view;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.running.RunningExtender;
import io.gpushare.extender.running.TestApiServer;
import io.gpushare.extender.running.WithView;
import io.gpushare.time.Clocks;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Measured usage in the view, from the node's device plugin. */
class UsageIT extends WithView {
    // It passes only while something is awaited, so that what a plugin reported stays in the cache.
    private volatile Instant now = Instant.parse("2026-11-20T12:00:00Z");

    @Override
    protected RunningExtender running() throws IOException {
        return new RunningExtender(api.kubeconfig(folder), 1 << 20, new Clocks(() -> now, () -> now));
    }

    /** A plugin that did not respond in time is asked again after half a minute. */
    private void awaitUsage(Callable<Boolean> condition) {
        await().until(() -> {
            if (condition.call()) {
                return true;
            }
            now = now.plusSeconds(31);
            return false;
        });
    }

    @Test
    void usageComesFromTheNodesPlugin() throws Exception {
        memoryPod("p", 3);
        assertThat(extender.bind("p", "uid-p", "a")).isEmpty();
        AtomicInteger scrapes = new AtomicInteger();
        Vertx vertx = Vertx.vertx();
        try {
            int port = plugin(vertx, scrapes, """
                # TYPE gpushare_card_memory_used_bytes gauge
                gpushare_card_memory_used_bytes{card="%1$s",model="Tesla T4"} 5.36870912E9
                gpushare_card_utilisation_ratio{card="%1$s",model="Tesla T4"} 0.87
                gpushare_card_temperature_celsius{card="%1$s",model="Tesla T4"} 1e300
                gpushare_card_power_watts{card="%1$s",model="Tesla T4"} 65.4
                gpushare_container_utilisation_ratio{card="%1$s",container="main",model="Tesla T4",namespace="default",pod="p"} 0.6
                gpushare_container_memory_used_bytes{card="%1$s",container="main",model="Tesla T4",namespace="default",pod="p"} 4294967296
                """.formatted("GPU-a"));
            api.plugin("kube-system", "a", "127.0.0.1", port);
            // In another namespace: any user could have created it.
            api.plugin("default", "b", "127.0.0.1", port);
            awaitUsage(
                    () -> text("top?node=a").contains("a     0     15 GiB      3 GiB  5 GiB   87%     -    65W  ok"));
            assertThat(text("top-pods")).contains("3 GiB  4 GiB   60%  over its limit");
            assertThat(text("top?node=b")).contains("Usage is unknown on 1 node.");
            assertThat(text("top?node=a&output=wide")).contains("a     0     Tesla T4  15 GiB");
            assertThat(node(json("nodes?names=a"), "a").encode())
                    .contains(
                            "\"usedBytes\":5368709120,\"utilizationPercent\":87,\"powerWatts\":65,",
                            "\"units\":3,\"usedBytes\":4294967296,\"utilizationPercent\":60");
            assertThat(json("explain?pod=p").encode())
                    .contains("\"demand\":\"3 GiB of memory on one card\",\"created\":\"2026-11-20T12:00:00Z\"")
                    .contains("\"usedBytes\":4294967296,\"utilizationPercent\":60,\"over\":true");
            restartExtender();
            awaitUsage(
                    () -> json("waste").getJsonObject("total", new JsonObject()).getInteger("podsOver", 0) == 1);
            JsonObject waste = json("waste");
            assertThat(waste.getJsonArray("workloads").encode()).contains("\"overBytes\":1073741824");
            assertThat(waste.getJsonArray("byNode").encode()).contains("\"name\":\"a\"", "\"over\":true");
            assertThat(json("waste?since=" + waste.getString("at")).size()).isEqualTo(2);
            assertThat(extender.get("/metrics").body())
                    .contains("\ngpushare_cluster_memory_over_limit_bytes 1.073741824E9\n");
            assertThat(text("waste")).contains("Used by 1 pod beyond what is allocated", "over its limit");
            int before = scrapes.get();
            for (int i = 0; i < 20; i++) {
                json("nodes?names=a,b");
            }
            assertThat(scrapes.get() - before).as("requests beyond the cache").isLessThanOrEqualTo(1);
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }
    }

    @Test
    void whereIsolationIsInForceTheLimitOfAPodIsShown() throws Exception {
        memoryPod("p", 3);
        assertThat(extender.bind("p", "uid-p", "a")).isEmpty();
        assertThat(text("top-pods")).doesNotContain("LIMIT");
        api.node("a", TestApiServer.TWO_T4.replace("\"memoryMiB\"", "\"isolation\":\"mps\",\"memoryMiB\""));
        await().until(() -> text("top-pods").contains("LIMIT"));
        assertThat(text("top-pods").lines().map(line -> line.replaceAll(" +", " ")))
                .contains("NAMESPACE POD NODE CARD ALLOCATED LIMIT USED UTIL", "default p a 0 3 GiB mps - -");
    }

    @Test
    void ofTwoPodsThatTrainWithMpsItIsUnknownHowMuchAndWhetherTheyAreIdle() throws Exception {
        api.node("a", TestApiServer.TWO_T4.replace("\"memoryMiB\"", "\"isolation\":\"mps\",\"memoryMiB\""));
        for (String pod : List.of("p", "q", "r")) {
            memoryPod(pod, 3);
            assertThat(extender.bind(pod, "uid-" + pod, "a")).isEmpty();
        }
        Vertx vertx = Vertx.vertx();
        try {
            String of = "{card=\"GPU-a\",container=\"main\",model=\"Tesla T4\",namespace=\"default\",pod=\"%s\"} %s\n";
            StringBuilder metrics =
                    new StringBuilder("gpushare_card_utilisation_ratio{card=\"GPU-a\",model=\"Tesla T4\"} 0.95\n");
            for (String pod : List.of("p", "q", "r")) {
                metrics.append("gpushare_container_memory_allocated_bytes")
                        .append(of.formatted(pod, 3L << 30))
                        .append("gpushare_container_memory_used_bytes")
                        .append(of.formatted(pod, 2L << 30));
            }
            metrics.append("gpushare_container_utilisation_ratio")
                    .append(of.formatted("r", 0))
                    .append("gpushare_container_idle_seconds")
                    .append(of.formatted("r", 7200));
            api.plugin("kube-system", "a", "127.0.0.1", plugin(vertx, new AtomicInteger(), metrics.toString()));
            restartExtender();
            awaitUsage(
                    () -> json("waste").getJsonObject("total", new JsonObject()).getInteger("podsIdleUnknown", 0) == 2);
            assertThat(json("waste").getJsonObject("total").encode())
                    .contains("\"podsIdle\":1", "\"podsIdleUnknown\":2", "\"idleBytes\":" + (3L << 30));
            awaitUsage(() -> text("top?node=a").contains("95%"));
            String reason =
                    "Several containers have programs on the card, and with MPS the driver reports only what they"
                            + " compute together.";
            assertThat(text("top-pods").lines().map(line -> line.replaceAll(" +", " ")))
                    .contains(
                            "default p a 0 3 GiB mps 2 GiB -",
                            "default q a 0 3 GiB mps 2 GiB -",
                            "default r a 0 3 GiB mps 2 GiB 0% idle for 2 h",
                            "The utilization of 2 pods is unknown. " + reason);
            JsonObject p =
                    json("text/top-pods?output=json").getJsonArray("pods").getJsonObject(0);
            assertThat(p.getMap())
                    .containsEntry("name", "p")
                    .containsEntry("utilizationUnknown", reason)
                    .doesNotContainKeys("utilizationPercent", "idleSeconds", "idle");
            assertThat(text("waste"))
                    .containsPattern("idle +>= 3 GiB +Allocated to 1 pod that have not computed for 30 minutes")
                    .contains("Idle or not is unknown of 2 pods; 'kubectl gpushare top pods -A' shows why.");
            assertThat(extender.get("/metrics").body())
                    .contains("\ngpushare_cluster_pods_idle 1.0\n", "\ngpushare_cluster_pods_idle_unknown 2.0\n");
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }
    }

    private static int plugin(Vertx vertx, AtomicInteger scrapes, String metrics) {
        return vertx.createHttpServer()
                .requestHandler(request -> {
                    scrapes.incrementAndGet();
                    request.response().end(metrics);
                })
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join()
                .actualPort();
    }

    @Tag("alone")
    @Test
    void aPluginThatDoesNotRespondDelaysByTheDeadlineOnly() throws Exception {
        Vertx vertx = Vertx.vertx();
        try {
            int port = vertx.createHttpServer()
                    .requestHandler(request -> {})
                    .listen(0, "127.0.0.1")
                    .toCompletionStage()
                    .toCompletableFuture()
                    .join()
                    .actualPort();
            api.plugin("kube-system", "a", "127.0.0.1", port);
            memoryPod("later", 1); // arrives after the plugin
            long began = System.nanoTime();
            assertThat(text("top?node=a")).contains("Usage is unknown on 1 node.");
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(5));
            began = System.nanoTime();
            text("top?node=a");
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(1));
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }
    }
}
