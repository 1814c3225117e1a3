package io.gpushare.extender.view;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.running.TestApiServer;
import io.gpushare.extender.running.WithView;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The view for users, over real HTTP on both sides. */
class ViewIT extends WithView {
    @Test
    void aSnapshotIsCompleteFirstAndThenHasChanges() throws Exception {
        JsonObject first = json("cluster");
        assertThat(first.getBoolean("full")).isTrue();
        assertThat(names(first)).containsExactlyInAnyOrder("a", "b");
        assertThat(first.getString("grafana")).isEqualTo("https://grafana.example/");
        assertThat(first.getInteger("plainNodes")).isEqualTo(1);
        JsonObject cards = node(first, "b");
        assertThat(cards.getJsonArray("cards").getJsonObject(0).getString("unhealthy"))
                .isEqualTo("Xid 79");
        assertThat(cards.getJsonArray("cards").getJsonObject(1).getBoolean("cordoned"))
                .isTrue();

        JsonObject same = json("cluster?since=" + first.getString("revision"));
        assertThat(same.getBoolean("full")).isFalse();
        assertThat(same.containsKey("grafana")).isFalse();
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
        return await().until(
                        () -> json("cluster?since=" + than.getString("revision")),
                        snapshot -> !snapshot.getJsonArray("nodes").isEmpty());
    }

    /** Who sends a link with such a name controls the terminal of the one who follows it with curl or kubectl. */
    @Test
    void noTextControlsATerminal() throws Exception {
        String clear = "%1b%5b2J%c2%9b1m%e2%80%ae";
        for (String path : List.of(
                "why?pod=" + clear,
                "why?namespace=" + clear + "&pod=p",
                "summary?node=" + clear,
                "top?sort-by=" + clear,
                "top-pods?namespace=" + clear,
                "nodes?output=" + clear,
                "waste?namespace=" + clear,
                clear)) {
            assertThat(text(path)).as(path).matches("[\\P{C}\n]+");
        }
        assertThat(text("why?pod=" + clear)).contains("?[2J?1m?");
    }

    @Test
    void waitingPodsHaveReasonsAndDisappearWhenTheyAreDeleted() throws Exception {
        memoryPod("big", 16);
        api.refused("big");
        api.pod("odd", "uid-odd", limits("1.5"));
        api.refused("odd");
        JsonObject waiting =
                await().until(() -> json("cluster").getJsonObject("waiting"), queue -> queue.getInteger("count") == 2);
        JsonObject demand = waiting.getJsonArray("demands").getJsonObject(0);
        assertThat(demand.getString("text")).isEqualTo("16 GiB of memory on one card");
        assertThat(demand.getInteger("feasibleNodes")).isZero();
        assertThat(demand.getJsonArray("reasons").getJsonObject(0).getString("sentence"))
                .isEqualTo("No card is large enough, even when empty");
        assertThat(demand.getJsonArray("reasons").getJsonObject(0).getInteger("nodes"))
                .isEqualTo(2);
        assertThat(waiting.getJsonArray("pods").encode()).contains("big", "odd", "aliyun.com/gpu-mem");
        api.delete("big");
        api.delete("odd");
        await().until(() -> json("cluster").getJsonObject("waiting").getInteger("count") == 0);
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

        String text = text("why?pod=p&limit=10");
        assertThat(text)
                .startsWith("Pod default/p requests 15 GiB of memory on one card.\n")
                .contains("By its cards it fits on 2 of 3 nodes.")
                .contains("1 GiB of 15 GiB free", "15 GiB needed", "unhealthy: Xid 79", "cordoned", "  fits\n");
        assertThat(text("why?pod=full")).startsWith("Pod default/full is on node a, card GPU-");
        assertThat(why.getString("demand")).isEqualTo("15 GiB of memory on one card");
        assertThat(why.containsKey("holds")).isFalse();
        assertThat(why.containsKey("owner")).isFalse();
        assertThat(text("why?pod=none"))
                .isEqualTo("error: pod \"none\" not found in namespace default; name its namespace with -n\n");
        assertThat(extender.get(VIEW + "explain?pod=none").statusCode()).isEqualTo(404);
        assertThat(extender.get(VIEW + "explain").statusCode()).isEqualTo(400);
        assertThat(extender.get(VIEW + "explain?pod=p&limit=many").statusCode()).isEqualTo(400);
    }

    @Test
    void aBoundPodHasItsOwnerItsRequestAndItsShareOfEachCard() throws Exception {
        memoryPod("p", 3);
        api.controlled("p", "StatefulSet", "uid-of-owner");
        assertThat(extender.bind("p", "uid-p", "a")).isEmpty();
        JsonObject pod = await().until(() -> json("explain?pod=p"), found -> found.containsKey("holds"));
        assertThat(pod.getString("state")).isEqualTo("bound");
        assertThat(pod.getString("owner")).isEqualTo("StatefulSet owner-of-p");
        assertThat(pod.getString("created")).isEqualTo("2026-11-20T12:00:00Z");
        assertThat(pod.getJsonArray("holds").encode())
                .isEqualTo("[{\"namespace\":\"default\",\"name\":\"p\",\"units\":3,\"node\":\"a\",\"card\":0,"
                        + "\"allocatedBytes\":3221225472,\"workload\":\"p\"}]");
    }

    @Test
    void whyOfAPodThatRunsWithoutAGpuSaysThatItRequestsNone() throws Exception {
        api.pod("web", "uid-web", new JsonObject().put("cpu", "1"));
        api.boundByOther("web", "plain", Map.of());
        assertThat(text("why?pod=web"))
                .isEqualTo("Pod default/web requests no GPU memory and no card: GPU Share does not place it.\n");
        assertThat(json("explain?pod=web").getString("state")).isEqualTo("no-demand");
    }

    @Test
    void whyOfAPodThatItsKubeletRejectedAfterARebootSaysWhatHappenedAndWhatToDo() throws Exception {
        memoryPod("p", 3);
        assertThat(extender.bind("p", "uid-p", "a")).isEmpty();
        await().until(() -> text("why?pod=p").contains(" is on node a, card GPU-"));
        api.rejected(
                "p",
                "UnexpectedAdmissionError",
                "Pod was rejected: Allocate failed due to no healthy devices present; cannot allocate unhealthy devices"
                        + " aliyun.com/gpu-mem, which is unexpected");

        String why = text("why?pod=p");
        assertThat(why)
                .startsWith("Pod default/p has failed: it holds no card.\n  The kubelet did not admit it: Pod was")
                .contains("After a reboot of its node, the kubelet admits pods before a device plugin can register.")
                .endsWith("A controller creates another pod; a pod without one has to be created again.\n");
        assertThat(json("explain?pod=p").getString("sentence")).contains("no healthy devices present");

        api.rejected("p", "UnexpectedAdmissionError", "Pod was rejected: Allocate failed due to rpc error: desc = no");
        assertThat(text("why?pod=p"))
                .contains("desc = no. The kubelet does not try again.")
                .doesNotContain("reboot");
    }

    @Test
    void aManifestIsExplainedWithoutAPod() throws Exception {
        JsonObject manifest = new JsonObject()
                .put("metadata", new JsonObject().put("name", "plan").put("namespace", "lab"))
                .put("spec", TestApiServer.spec(limits("40")));
        HttpResponse<String> response = extender.post("v1/explain", manifest.encode());
        assertThat(response.statusCode()).isEqualTo(200);
        JsonObject why = new JsonObject(response.body());
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
            """);
        assertThat(text("details")).contains("b GPU0: unhealthy (Xid 79), accepts no new pods");
        assertThat(text("details?notes=off")).doesNotContain("accepts no new pods");
        assertThat(text("details?node=a")).isEqualTo("""

            NAME:       a
            IPADDRESS:  unknown

            NAME  NAMESPACE  GPU0(GiB)  GPU1(GiB)
            p     default    3          0
            Allocated :  3 GiB (10%)
            Total :      30 GiB
            ---------------------------------------


            Allocated/Total GPU Memory In Cluster:  3/30 GiB (10%)
            """);
        assertThat(text("details?node=a&notes=off")).isEqualTo("""

            NAME:       a
            IPADDRESS:  unknown

            NAME  NAMESPACE  GPU0(Allocated)  GPU1(Allocated)
            p     default    3                0
            Allocated :  3 (10%)
            Total :      30
            ---------------------------------------------------


            Allocated/Total GPU Memory In Cluster:  3/30 (10%)
            GPU Memory in GiB
            """);
        assertThat(text("nodes?node=a"))
                .startsWith("NODE  CARDS         ALLOCATED  GiB ON EACH CARD\na     2 x Tesla T4");
        assertThat(text("nodes?node=a&output=json")).contains("\"usedGPU\":3");
        assertThat(text("nodes?node=a&output=yaml")).startsWith("nodes:\n- name: a\n");
        assertThat(text("nodes?output=xml"))
                .isEqualTo("error: 'output' is one of text, wide, json, yaml, csv, not xml\n");
        assertThat(text("version")).isEqualTo("Extender: 0.0.0-test\n");
        assertThat(text("details?node=z"))
                .isEqualTo("error: node \"z\" is not known; kubectl gpushare shows all nodes with cards\n");
        assertThat(text("top?node=a"))
                .contains("NODE  CARD  MEMORY  ALLOCATED  USED  UTIL  TEMP  POWER  STATE")
                .contains("a     0     15 GiB      3 GiB     -     -     -      -  ok")
                .contains("Usage is unknown on 1 node.");
        assertThat(text("top-pods?namespace=default")).contains("default    p    a     0         3 GiB     -     -\n");
        assertThat(text("top-pods?namespace=other")).isEqualTo("No pods of namespace other on cards.\n");
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
        await().until(() -> json("cluster").getJsonArray("nodes").size() == 62);
        assertThat(names(new JsonObject(uncompressed(VIEW + "cluster")))).hasSize(62);
        assertThat(extender.get(VIEW + "cluster").body())
                .as("the same for every viewer")
                .isEqualTo(uncompressed(VIEW + "cluster"));
        assertThat(uncompressed("/ui/page.js"))
                .isEqualTo(extender.get("/ui/page.js").body());
    }

    private String uncompressed(String path) throws Exception {
        HttpResponse<byte[]> compressed = HttpClient.newHttpClient()
                .send(
                        extender.request(path).header("Accept-Encoding", "gzip").build(),
                        HttpResponse.BodyHandlers.ofByteArray());
        assertThat(compressed.headers().firstValue("Content-Encoding")).contains("gzip");
        assertThat(compressed.headers().firstValue("Vary")).isPresent();
        try (GZIPInputStream body = new GZIPInputStream(new ByteArrayInputStream(compressed.body()))) {
            return new String(body.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Tag("alone")
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
                .allSatisfy(response -> assertThat(response.join().statusCode()).isEqualTo(200));
    }
}
