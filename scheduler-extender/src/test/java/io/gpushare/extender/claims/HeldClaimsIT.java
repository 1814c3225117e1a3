package io.gpushare.extender.claims;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What pods have by claims is shown wherever what pods have is shown. */
class HeldClaimsIT extends WithClaims {
    @Test
    void aShareAndAWholeCardAreShownUntilTheirClaimsEnd() throws Exception {
        running("share", "3Gi", "gpu-a");
        running("card", null, "gpu-b");

        assertThat(text("nodes")).contains("18/30 GiB", "* taken whole").doesNotContain("no cards to offer");
        assertThat(text("details?node=c")
                        .lines()
                        .map(line -> line.replaceAll(" +", " ").strip()))
                .contains("NAME NAMESPACE GPU0(GiB) GPU1(GiB)", "card default 0 15", "share default 3 0");
        assertThat(text("top-pods").lines().map(line -> line.replaceAll(" +", " ")))
                .anyMatch(line -> line.startsWith("default share c 0 3 GiB"))
                .anyMatch(line -> line.startsWith("default card c 1 whole card"));
        assertThat(node(json("nodes?names=c"), "c").encode())
                .contains("\"name\":\"share\",\"units\":3", "\"name\":\"card\",\"units\":15,\"whole\":true")
                .doesNotContain("unusable");
        JsonObject page = node(json("cluster"), "c");
        assertThat(page.getJsonArray("cards").encode()).contains("\"shares\":[0,3]", "\"shares\":[0,15]");
        assertThat(extender.get("/gpushare-scheduler/inspect/c").body())
                .contains("\"name\":\"share\",\"namespace\":\"default\",\"usedGPU\":3");
        assertThat(text("why?pod=share")).startsWith("Pod default/share is on node c, card GPU-a.");
        assertThat(text("why?pod=card")).startsWith("Pod default/card is on node c, card GPU-b (whole).");
        assertThat(json("explain?pod=share").encode()).contains("\"demand\":\"3 GiB of memory on one card\"");
    }

    @Test
    void theMetricsCountTheNodeItsCardsAndItsPods() throws Exception {
        running("share", "3Gi", "gpu-a");
        running("card", null, "gpu-b");
        metric("gpushare_extender_ledger_nodes{state=\"serves_claims\"} 1.0");
        metric("gpushare_extender_ledger_nodes{state=\"no_cards\"} 0.0");
        metric("gpushare_cluster_cards{model=\"Tesla T4\",state=\"shared\"} 1.0");
        metric("gpushare_cluster_cards{model=\"Tesla T4\",state=\"whole\"} 1.0");
        metric("gpushare_node_memory_allocated_bytes{node=\"c\"} " + (double) (18L << 30));
        metric("gpushare_extender_unattributed_pods 0.0");
        restartExtender();
        await().until(() -> json("waste").encode().contains("\"allocatedBytes\":" + (18L << 30)));
    }

    /** What the alerts of deploy/monitoring are about. */
    @Test
    void cardsThatClaimsOverCommitAreCounted() throws Exception {
        running("share", "9Gi", "gpu-a");
        running("more", "9Gi", "gpu-a");
        metric("gpushare_cluster_cards{model=\"Tesla T4\",state=\"overcommitted\"} 1.0");
        metric("gpushare_cluster_memory_free_bytes{model=\"Tesla T4\"} " + (double) (15L << 30));
    }

    /** A plan for them would move pods whose cards only kube-scheduler gives. */
    @Test
    void noPlanMovesPodsWithClaimsNorFreesACardOfTheirNode() throws Exception {
        running("share", "4Gi", "gpu-a");
        running("other", "4Gi", "gpu-b");
        api.controlled("share", "ReplicaSet", "controller");
        claim("big", null);
        pod("big", "big");
        api.refused("big");
        api.pod("ordinary", "uid-ordinary", new JsonObject().put("aliyun.com/gpu-count", "1"));
        api.refused("ordinary");
        await().until(() -> extender.ledger.waitingForOthers().size() == 1
                && extender.ledger.waiting().size() == 1);
        assertThat(json("defrag").encode()).doesNotContain("\"moves\":[{");
        assertThat(text("defrag?pod=ordinary")).doesNotContain("kubectl annotate", "eviction");
    }

    @Test
    void useIsThatOfTheNodesDriver() throws Exception {
        running("share", "3Gi", "gpu-a");
        Vertx vertx = Vertx.vertx();
        try {
            int port = vertx.createHttpServer()
                    .requestHandler(request -> request.response().end("""
                        gpushare_card_memory_used_bytes{card="GPU-a",model="Tesla T4"} 5368709120
                        gpushare_container_memory_used_bytes{card="GPU-a",container="main",namespace="default",pod="share"} \
                        4294967296
                        """))
                    .listen(0, "127.0.0.1")
                    .toCompletionStage()
                    .toCompletableFuture()
                    .join()
                    .actualPort();
            api.claimsPlugin("c", "127.0.0.1", port);
            await().until(() -> text("top-pods").contains("3 GiB  4 GiB"));
            assertThat(node(json("nodes?names=c"), "c").encode())
                    .contains("\"usedBytes\":5368709120", "\"usedBytes\":4294967296");
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }
    }

    @Test
    void theEndOfAPodAndItsClaimFreesTheCard() throws Exception {
        running("share", "3Gi", "gpu-a");
        api.phase("share", "Succeeded");
        await().until(() -> text("top-pods").contains(" claim/share "));
        api.deleteClaim("share");
        await().until(() -> !text("top-pods").contains("share"));
        metric("gpushare_node_memory_allocated_bytes{node=\"c\"} 0.0");
    }

    /** The kubelet repeats a refused call for ever, and the claim keeps its card. */
    @Test
    void whatTheNodeRefusesIsSaidUntilThePodStarts() throws Exception {
        running("share", "12Gi", "gpu-a");
        prepareFailed("share", "someone", "forged");
        prepareFailed("share", "kubelet", "Failed to prepare dynamic resources: the card was given twice");
        String why = "since 2026-11-20T12:00:00Z its node does not prepare its claims: Failed to prepare dynamic"
                + " resources: the card was given twice";
        await().untilAsserted(() -> assertThat(text("why?pod=share"))
                .isEqualTo("Pod default/share is on node c, card GPU-a.\n  It does not start: " + why
                        + ". Meanwhile its claims keep 12 GiB of memory on one card; the kubelet tries again, and"
                        + " deleting the pod frees them.\n"));
        await().until(() -> text("top-pods").contains("not started"));
        assertThat(text("details?node=c")).contains("c, pod default/share: " + why + "\n");
        assertThat(text("nodes")).contains("12/30 GiB", "c, pod default/share: " + why + "\n");
        assertThat(node(json("nodes?names=c"), "c").encode()).contains("\"notStarted\":\"" + why + "\"");
        assertThat(text("details?node=c&output=json")).contains("\"notStarted\":\"" + why + "\"");
        api.started("share");
        await().until(() -> !text("why?pod=share").contains("does not start"));
        await().until(() -> !text("top-pods").contains("not started"));
    }

    private void prepareFailed(String pod, String by, String message) {
        api.put("""
            {"apiVersion":"v1","kind":"Event","reason":"FailedPrepareDynamicResources","type":"Warning","message":"%s",
             "metadata":{"name":"%s.%s","namespace":"default","uid":"uid-event-%s"},"reportingComponent":"%s","count":3,
             "involvedObject":{"kind":"Pod","namespace":"default","name":"%s","uid":"uid-%s"},
             "firstTimestamp":"2026-11-20T12:00:00Z","lastTimestamp":"2026-11-20T12:03:00Z"}\
            """.formatted(message, pod, by, by, by, pod, pod));
    }

    @Test
    void anAnnotationOfThePodSaysNothing() throws Exception {
        running("share", "3Gi", "gpu-a");
        api.boundByOther(
                "share",
                "c",
                Map.of(
                        "gpushare.io/allocation",
                        "{\"version\":1,\"unitMiB\":1024,\"containers\":[{\"name\":\"main\",\"memory\":{\"GPU-b\":9}}]}"));
        api.label("share", "seen", "now");
        running("other", "2Gi", "gpu-b");
        assertThat(text("details?node=c")
                        .lines()
                        .map(line -> line.replaceAll(" +", " ").strip()))
                .contains("share default 3 0", "other default 0 2");
        assertThat(text("why?pod=share")).contains("card GPU-a.");
        assertThat(api.eventsOf("share")).isEmpty();
    }

    @Test
    void aClaimOfSeveralPodsIsShownOnce() throws Exception {
        running("first", "3Gi", "gpu-a");
        pod("second", "first");
        api.boundByOther("second", "c", Map.of());
        allocated("first", "3Gi", "gpu-a", "first", "second");
        await().until(() -> text("why?pod=second").contains("card GPU-a."));
        assertThat(text("top-pods")).doesNotContain("second");
        assertThat(text("nodes")).contains("3/30 GiB");
    }
}
