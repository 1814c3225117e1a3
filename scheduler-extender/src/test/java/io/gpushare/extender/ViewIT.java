package io.gpushare.extender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/** The view for users, over real HTTP on both sides. */
class ViewIT extends WithExtender {
    private static final String VIEW = "/gpushare-scheduler/v1/";
    private static final String UNHEALTHY = """
        {"version":1,"unitMiB":1024,"cards":[
          {"uuid":"GPU-x0","index":0,"minor":0,"model":"Tesla T4","memoryMiB":15360,"ill":"Xid 79"},
          {"uuid":"GPU-x1","index":1,"minor":1,"model":"Tesla T4","memoryMiB":15360,"cordoned":true},
          {"uuid":"GPU-x2","index":2,"minor":2,"model":"Tesla T4","memoryMiB":15360}]}\
        """;

    @Override
    void fill(TestApiServer cluster) {
        cluster.node("a", BindIT.TWO_T4);
        cluster.node("b", UNHEALTHY);
        cluster.node("plain", null);
    }

    @Test
    void aSnapshotIsCompleteFirstAndThenHasChanges() throws Exception {
        JsonObject first = json("cluster");
        assertThat(first.getBoolean("full")).isTrue();
        assertThat(names(first)).containsExactlyInAnyOrder("a", "b");
        assertThat(first.getInteger("plainNodes")).isEqualTo(1);
        JsonObject cards = node(first, "b");
        for (String key : List.of("unhealthy", "ill")) {
            assertThat(cards.getJsonArray("cards").getJsonObject(0).getString(key))
                    .isEqualTo("Xid 79");
        }
        assertThat(cards.getJsonArray("cards").getJsonObject(1).getBoolean("cordoned"))
                .isTrue();

        JsonObject same = json("cluster?since=" + first.getString("revision"));
        assertThat(same.getBoolean("full")).isFalse();
        assertThat(same.getJsonArray("nodes")).isEmpty();

        memoryPod("p", 3);
        assertThat(extender.bind("p", "uid-p", "a")).isEmpty();
        JsonObject changed = changed(first);
        assertThat(names(changed)).containsExactly("a");
        JsonArray card = node(changed, "a").getJsonArray("cards");
        assertThat(card.getJsonObject(0).getJsonArray("shares")).containsExactly(0, 3);
        assertThat(changed.getJsonArray("namespaces")).containsExactly("default");

        JsonObject again = json("cluster?since=00000000-1");
        assertThat(again.getBoolean("full")).isTrue();
        assertThat(names(again)).containsExactlyInAnyOrder("a", "b");
    }

    private JsonObject changed(JsonObject than) {
        return await().atMost(Duration.ofSeconds(10))
                .until(
                        () -> json("cluster?since=" + than.getString("revision")),
                        snapshot -> !snapshot.getJsonArray("nodes").isEmpty());
    }

    @Test
    void waitingPodsHaveReasonsAndDisappearWhenTheyAreDeleted() throws Exception {
        memoryPod("big", 16);
        api.refused("big");
        api.pod("odd", "uid-odd", limits("1.5"));
        api.refused("odd");
        JsonObject waiting = await().atMost(Duration.ofSeconds(10))
                .until(() -> json("cluster").getJsonObject("waiting"), queue -> queue.getInteger("count") == 2);
        JsonObject demand = waiting.getJsonArray("demands").getJsonObject(0);
        assertThat(demand.getString("text")).isEqualTo("16 units of memory on one card");
        assertThat(demand.getInteger("feasibleNodes")).isZero();
        assertThat(demand.getJsonArray("reasons").getJsonObject(0).getString("sentence"))
                .isEqualTo("No card is large enough, even when empty");
        assertThat(demand.getJsonArray("reasons").getJsonObject(0).getInteger("nodes"))
                .isEqualTo(2);
        assertThat(waiting.getJsonArray("pods").encode()).contains("big", "odd", "aliyun.com/gpu-mem");
        api.delete("big");
        api.delete("odd");
        await().atMost(Duration.ofSeconds(10))
                .until(() -> json("cluster").getJsonObject("waiting").getInteger("count") == 0);
    }

    @Test
    void whyExplainsEachCard() throws Exception {
        memoryPod("full", 14);
        assertThat(extender.bind("full", "uid-full", "a")).isEmpty();
        memoryPod("p", 15);
        JsonObject why = json("explain?namespace=default&pod=p");
        assertThat(why.getString("state")).isEqualTo("judged");
        assertThat(why.getInteger("feasibleNodes")).isEqualTo(2);
        assertThat(why.getJsonArray("nodes")).hasSize(3);
        JsonObject page = json("explain?pod=p&from=1&limit=1");
        assertThat(page.getJsonArray("nodes")).hasSize(1);
        assertThat(page.getInteger("next")).isEqualTo(2);

        String text = text("why?pod=p");
        assertThat(text)
                .startsWith("Pod default/p requests 15 units of memory on one card.\n")
                .contains("By its cards it fits on 2 of 3 nodes.")
                .contains("1 GiB of 15 GiB free", "15 GiB needed", "unhealthy: Xid 79", "cordoned", "would do");
        assertThat(text("why?pod=full")).startsWith("Pod default/full is on node a, card GPU-");
        assertThat(text("why?pod=none")).isEqualTo("error: pod \"none\" not found in namespace default\n");
        assertThat(extender.get(VIEW + "explain?pod=none").statusCode()).isEqualTo(404);
        assertThat(extender.get(VIEW + "explain").statusCode()).isEqualTo(400);
        assertThat(extender.get(VIEW + "explain?pod=p&limit=many").statusCode()).isEqualTo(400);
    }

    @Test
    void aManifestIsExplainedWithoutAPod() throws Exception {
        JsonObject manifest = new JsonObject()
                .put("metadata", new JsonObject().put("name", "plan").put("namespace", "lab"))
                .put("spec", TestApiServer.spec(limits("40")));
        HttpResponse<String> answer = extender.post("v1/explain", manifest.encode());
        assertThat(answer.statusCode()).isEqualTo(200);
        JsonObject why = new JsonObject(answer.body());
        assertThat(why.getJsonObject("pod").getString("namespace")).isEqualTo("lab");
        assertThat(why.getInteger("feasibleNodes")).isZero();
        assertThat(why.encode()).contains("too small: it has 15 GiB, 40 GiB needed");
        assertThat(extender.post("v1/explain", "[]").statusCode()).isEqualTo(400);
        assertThat(extender.post("v1/explain", "{").statusCode()).isEqualTo(400);
        assertThat(extender.post("v1/explain", "{}").body()).contains("no Pod with containers");
        assertThat(extender.post("v1/cluster", "{}").statusCode()).isEqualTo(405);
    }

    @Test
    void theSummaryHasTheFormOfGpushare() throws Exception {
        memoryPod("p", 3);
        assertThat(extender.bind("p", "uid-p", "a")).isEmpty();
        assertThat(text("summary")).isEqualTo("""
            NAME  IPADDRESS  GPU0(Allocated/Total)  GPU1(Allocated/Total)  GPU2(Allocated/Total)  GPU Memory(GiB)
            a     unknown    3/15                   0/15                   0/0                    3/30
            b     unknown    0/15                   0/15                   0/15                   0/45
            -------------------------------------------------------------------------------------------------------
            Allocated/Total GPU Memory In Cluster:
            3/75 (4%)

            b GPU0: unhealthy (Xid 79), accepts no new pods
            b GPU1: cordoned, accepts no new pods
            """);
        assertThat(text("details?node=a")).isEqualTo("""

            NAME:       a
            IPADDRESS:  unknown

            NAME  NAMESPACE  GPU0(Allocated)  GPU1(Allocated)
            p     default    3                0
            Allocated :  3 (10%)
            Total :      30
            ---------------------------------------------------


            Allocated/Total GPU Memory In Cluster:  3/30 (10%)
            """);
        assertThat(text("details?node=z")).isEqualTo("error: node \"z\" is not known\n");
        assertThat(text("top?node=a"))
                .contains("NODE  CARD  MODEL     MEMORY    ALLOCATED  USED  STATE")
                .contains("a     0     Tesla T4  15.0 GiB  3 GiB      -     ok")
                .contains("Usage is unknown on 1 node.");
        assertThat(text("top-pods?namespace=default")).contains("default    p    a     0     3 GiB      -\n");
        assertThat(text("top-pods?namespace=other")).isEqualTo("No pods on cards.\n");
    }

    @Test
    void nodesHaveTheirPodsAndLargeResponsesAreCompressed() throws Exception {
        memoryPod("p", 3);
        assertThat(extender.bind("p", "uid-p", "a")).isEmpty();
        JsonObject nodes = json("nodes?names=a,b,none");
        assertThat(names(nodes)).containsExactly("a", "b");
        assertThat(node(nodes, "a").encode())
                .contains("{\"namespace\":\"default\",\"name\":\"p\",\"units\":3}", "\"memoryMiB\":15360");
        assertThat(names(json("nodes"))).containsExactly("a", "b", "plain");
        assertThat(json("find?pod=ult/p").getJsonArray("nodes")).containsExactly("a");
        assertThat(json("find?pod=ult/q").getJsonArray("nodes")).isEmpty();
        assertThat(extender.get(VIEW + "find").statusCode()).isEqualTo(400);
        for (int i = 0; i < 60; i++) {
            api.node("more-" + i, UNHEALTHY.replace("GPU-x", "GPU-more-" + i + "-"));
        }
        await().atMost(Duration.ofSeconds(10))
                .until(() -> json("cluster").getJsonArray("nodes").size() == 62);
        HttpResponse<byte[]> compressed = HttpClient.newHttpClient()
                .send(
                        extender.request(VIEW + "cluster")
                                .header("Accept-Encoding", "gzip")
                                .build(),
                        HttpResponse.BodyHandlers.ofByteArray());
        assertThat(compressed.headers().firstValue("Content-Encoding")).contains("gzip");
        try (GZIPInputStream body = new GZIPInputStream(new ByteArrayInputStream(compressed.body()))) {
            String uncompressed = new String(body.readAllBytes(), StandardCharsets.UTF_8);
            assertThat(names(new JsonObject(uncompressed))).hasSize(62);
        }
    }

    @Test
    void thePageIsServedFromTheJarWithAStrictPolicy() throws Exception {
        HttpResponse<String> page = extender.get("/ui/");
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.headers().firstValue("Content-Type")).contains("text/html; charset=utf-8");
        assertThat(page.headers().firstValue("Content-Security-Policy").orElseThrow())
                .startsWith("default-src 'none'; script-src 'self'")
                .doesNotContain("unsafe", "http");
        HttpResponse<String> library = extender.get("/ui/lib/lit-html.js");
        assertThat(library.body()).contains("SPDX-License-Identifier: BSD-3-Clause");
        String tag = library.headers().firstValue("ETag").orElseThrow();
        HttpResponse<String> again = extender.send(extender.request("/ui/lib/lit-html.js")
                .header("If-None-Match", tag)
                .build());
        assertThat(again.statusCode()).isEqualTo(304);
        HttpResponse<String> bare = extender.get("/ui");
        assertThat(bare.statusCode()).isEqualTo(308);
        assertThat(bare.headers().firstValue("Location")).contains("ui/");
        assertThat(extender.get("/ui/../io/gpushare/extender/version.txt").statusCode())
                .isEqualTo(404);
        assertThat(extender.post("../ui/", "x").statusCode()).isIn(404, 405);
    }

    @Test
    void usageComesFromTheNodesPlugin() throws Exception {
        memoryPod("p", 3);
        assertThat(extender.bind("p", "uid-p", "a")).isEmpty();
        AtomicInteger asked = new AtomicInteger();
        Vertx vertx = Vertx.vertx();
        try {
            int port = plugin(vertx, asked, """
                # TYPE gpushare_card_memory_used_bytes gauge
                gpushare_card_memory_used_bytes{card="%1$s",model="Tesla T4"} 5.36870912E9
                gpushare_container_memory_used_bytes{card="%1$s",container="main",model="Tesla T4",namespace="default",pod="p"} 4294967296
                """.formatted("GPU-a"));
            api.plugin("kube-system", "a", "127.0.0.1", port);
            // In another namespace: any user could have created it.
            api.plugin("default", "b", "127.0.0.1", port);
            await().atMost(Duration.ofSeconds(10))
                    .until(() -> text("top?node=a").contains("a     0     Tesla T4  15.0 GiB  3 GiB      5.0 GiB  ok"));
            assertThat(text("top-pods")).contains("3 GiB      4.0 GiB  over its limit");
            assertThat(text("top?node=b")).contains("Usage is unknown on 1 node.");
            assertThat(node(json("nodes?names=a"), "a").encode())
                    .contains("\"usedBytes\":5368709120", "\"units\":3,\"usedBytes\":4294967296");
            int before = asked.get();
            for (int i = 0; i < 20; i++) {
                json("nodes?names=a,b");
            }
            assertThat(asked.get() - before)
                    .as("requests that the cache answers")
                    .isLessThanOrEqualTo(2);
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }
    }

    private static int plugin(Vertx vertx, AtomicInteger asked, String metrics) {
        return vertx.createHttpServer()
                .requestHandler(request -> {
                    asked.incrementAndGet();
                    request.response().end(metrics);
                })
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join()
                .actualPort();
    }

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

    @Test
    void requestsThatWaitForTheApiServerDoNotDelayOthers() throws Exception {
        memoryPod("p", 3);
        api.delay(2000);
        List<CompletableFuture<HttpResponse<String>>> explanations = IntStream.range(0, 6)
                .mapToObj(i -> extender.sendLater(
                        extender.request(VIEW + "explain?pod=p").build()))
                .toList();
        await().until(() -> api.delayed() == 6);
        long began = System.nanoTime();
        json("cluster");
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(1));
        assertThat(explanations)
                .allSatisfy(answer -> assertThat(answer.join().statusCode()).isEqualTo(200));
    }

    private void memoryPod(String name, int units) {
        api.pod(name, "uid-" + name, limits(String.valueOf(units)));
        await().atMost(Duration.ofSeconds(10))
                .until(() -> extender.get(VIEW + "explain?pod=" + name).statusCode() == 200);
    }

    private static JsonObject limits(String units) {
        return new JsonObject().put("aliyun.com/gpu-mem", units);
    }

    private JsonObject json(String question) throws Exception {
        HttpResponse<String> answer = extender.get(VIEW + question);
        assertThat(answer.statusCode()).isEqualTo(200);
        return new JsonObject(answer.body());
    }

    private String text(String question) throws Exception {
        HttpResponse<String> answer = extender.get(VIEW + "text/" + question);
        assertThat(answer.statusCode()).isEqualTo(200);
        return answer.body();
    }

    private static List<String> names(JsonObject snapshot) {
        return snapshot.getJsonArray("nodes").stream()
                .map(node -> ((JsonObject) node).getString("name"))
                .toList();
    }

    private static JsonObject node(JsonObject snapshot, String name) {
        return snapshot.getJsonArray("nodes").stream()
                .map(node -> (JsonObject) node)
                .filter(node -> node.getString("name").equals(name))
                .findFirst()
                .orElseThrow();
    }
}
