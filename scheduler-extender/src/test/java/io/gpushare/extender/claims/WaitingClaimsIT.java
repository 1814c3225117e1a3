package io.gpushare.extender.claims;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.running.RunningExtender;
import io.gpushare.extender.running.TestApiServer;
import io.gpushare.time.Clocks;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is said of waiting pods with claims, and of others beside a node that serves claims. */
class WaitingClaimsIT extends WithClaims {
    /** Several rounds of all that works for waiting pods; preemption begins after 3 s. */
    private static final Duration ROUNDS = Duration.ofSeconds(5);

    private final AtomicLong passed = new AtomicLong();

    @Override
    protected RunningExtender running() throws IOException {
        Clocks clocks = Clocks.of(InstantSource.system(), () -> System.nanoTime() + passed.get());
        return RunningExtender.watchingClaims(api.kubeconfig(folder), clocks);
    }

    @Test
    void whyTheListAndTheMetricComeFromTheSameCards() throws Exception {
        running("share", "10Gi", "gpu-a");
        running("card", null, "gpu-b");
        waiting("p", "8Gi");
        assertThat(text("why?pod=p"))
                .startsWith("Pod default/p requests 8 GiB of memory on one card.\nNone of 1 node can take it now:\n")
                .contains(
                        "at most 5 GiB of 15 GiB free on one card, 8 GiB needed",
                        "What helps:",
                        "It fits on node c, card ")
                .doesNotContain("serves_claims", "no cards to offer", "would let it run");
        JsonObject queue = json("cluster").getJsonObject("waiting");
        assertThat(queue.getJsonArray("demands").getJsonObject(0).getString("text"))
                .isEqualTo("8 GiB of memory on one card");
        assertThat(queue.getJsonArray("pods").encode()).contains("\"name\":\"p\"");
        metric("gpushare_extender_waiting_pods{why=\"full\"} 1.0");
        await().until(() -> {
            passed.addAndGet(Duration.ofSeconds(21).toNanos());
            return !api.eventsOf("p").isEmpty();
        });
        assertThat(api.eventsOf("p"))
                .singleElement()
                .asString()
                .startsWith("GpuPodWaits: No node can take this pod now.")
                .contains("It fits on node c, card ");
    }

    @Test
    void aCordonedNodeThatServesClaimsIsNamedAndHasNothingFree() throws Exception {
        metric("gpushare_cluster_memory_free_bytes{model=\"Tesla T4\"} " + (double) (30L << 30));
        api.cordon("c");
        metric("gpushare_cluster_memory_free_bytes{model=\"Tesla T4\"} 0.0");
        waiting("p", "8Gi");
        assertThat(text("why?pod=p"))
                .contains("1  node is cordoned", "- Node c could take it but is cordoned: uncordon it.")
                .doesNotContain("It fits", "label a node");
        assertThat(text("nodes")).contains("c: node is cordoned: uncordon it");
    }

    @Test
    void aPodThatFitsByItsCardsIsLeftToKubeScheduler() throws Exception {
        waiting("p", "8Gi");
        metric("gpushare_extender_waiting_pods{why=\"fits\"} 1.0");
        assertThat(text("why?pod=p"))
                .contains("By its cards it fits on 1 of 1 node.")
                .contains("It last wrote: 0/1 nodes are available: 1 cannot allocate all claims.")
                .doesNotContain("chosen by the policy");
        // An ordinary pod, which comes later, is retried.
        api.node("a", TestApiServer.TWO_T4);
        memoryPod("ordinary", 3);
        api.refused("ordinary");
        await().until(() -> api.patches().stream().anyMatch(path -> path.contains("/pods/ordinary")));
        assertThat(api.patches()).as("a retry by gpushare.io/room-seen").noneMatch(path -> path.contains("/pods/p/"));
    }

    @Test
    void nobodyIsEvictedForAPodWithClaimsNorFromANodeThatServesThem() throws Exception {
        running("low-a", "10Gi", "gpu-a");
        running("low-b", "10Gi", "gpu-b");
        claim("high", "8Gi");
        api.pod("high", "uid-high", new JsonObject(), 1000);
        api.spec("high", "{\"priority\":1000,\"resourceClaims\":[{\"name\":\"gpu\",\"resourceClaimName\":\"high\"}]}");
        api.refused("high");
        api.pod("ordinary", "uid-ordinary", limits("8"), 1000);
        api.refused("ordinary");
        await().until(() -> extender.ledger.waitingForOthers().size() == 1);
        Thread.sleep(ROUNDS.toMillis());
        assertThat(api.evicted()).isEmpty();
        assertThat(api.patches()).isEmpty();
    }

    @Test
    void anOrdinaryPodIsToldToWriteAClaim() throws Exception {
        memoryPod("p", 3);
        api.refused("p");
        await().until(() -> extender.ledger.waiting().size() == 1);
        assertThat(text("why?pod=p"))
                .contains("1  node serves claims (deploy/docs/use/claims.md): write a ResourceClaim")
                .contains("- Node c serves claims (deploy/docs/use/claims.md): write a ResourceClaim.");
        metric("gpushare_extender_waiting_pods{why=\"impossible\"} 1.0");
        String filter = """
            {"Pod":{"metadata":{"name":"p","namespace":"default","uid":"uid-p"},"spec":{"containers":[{"name":"main",
             "resources":{"limits":{"aliyun.com/gpu-mem":"3"}}}]}},"NodeNames":["c"]}\
            """;
        assertThat(extender.post("filter", filter).body())
                .contains("node serves claims (deploy/docs/use/claims.md): write a ResourceClaim");
    }

    @Test
    void aPodWithClaimsIsToldThatNoNodeServesThem() throws Exception {
        api.node("c", TestApiServer.TWO_T4);
        waiting("p", "3Gi");
        assertThat(text("why?pod=p"))
                .contains("1  node does not serve claims: it offers its cards as resources")
                .contains("- No node serves claims: request the cards as resources, or label a node with"
                        + " gpushare.io/serve=dra (deploy/docs/operate/claims.md).");
    }

    @Test
    void aNodeWithTheLabelIsNotToBeLabelledAgain() throws Exception {
        api.node("c", TestApiServer.TWO_T4);
        api.nodeLabels("c", Map.of("gpushare.io/serve", "dra"));
        api.node("other", null);
        api.nodeLabels("other", Map.of("gpushare.io/serve", "dra"));
        waiting("p", "3Gi");
        await().untilAsserted(() -> assertThat(text("why?pod=p"))
                .contains("- No node serves claims. Node c (as 1 more) has the label gpushare.io/serve=dra, and the"
                        + " driver of claims does not run there: see the pods with the label"
                        + " component=gpu-share-claims")
                .doesNotContain("label a node", "label the GPU nodes"));
        api.node("c", SERVING);
        await().untilAsserted(() -> assertThat(text("why?pod=p")).contains("fits on 1 of 2 nodes"));
    }

    @Test
    void allRequestsForWholeCardsAreCounted() throws Exception {
        running("share", "3Gi", "gpu-a");
        waitingFor("p", """
            {"requests":[{"name":"a","exactly":{"deviceClassName":"gpushare","count":1}},
                         {"name":"b","exactly":{"deviceClassName":"gpushare","count":1}}]}\
            """);
        assertThat(text("why?pod=p"))
                .startsWith("Pod default/p requests 2 whole cards.\nNone of 1 node can take it now:\n")
                .contains("It fits on node c, cards 0, 1, when pod default/share ends")
                .doesNotContain("Note:");
        waitingFor("q", """
            {"requests":[{"name":"a","exactly":{"deviceClassName":"gpushare","count":1}},
                         {"name":"b","exactly":{"deviceClassName":"gpushare","count":1,
                           "capacity":{"requests":{"memory":"8Gi"}}}}]}\
            """);
        assertThat(text("why?pod=q"))
                .contains("requests 8 GiB of memory on one card and 1 whole card.", "fits on 1 of 1");
    }

    /** As the templates of old requests say it of the containers of a pod. */
    @Test
    void requestsForMemoryOfOneCardAreAddedUp() throws Exception {
        String memory = "{\"name\":\"%s\",\"exactly\":{\"deviceClassName\":\"gpushare\",\"count\":1,"
                + "\"capacity\":{\"requests\":{\"memory\":\"8Gi\"}}}}";
        String requests = "{\"requests\":[" + memory.formatted("a") + "," + memory.formatted("b") + "]";
        waitingFor("p", requests + ",\"constraints\":[{\"matchAttribute\":\"gpushare.io/uuid\"}]}");
        assertThat(text("why?pod=p"))
                .contains("requests 16 GiB of memory on one card", "too small: one card has 15 GiB")
                .doesNotContain("Note:");
        waitingFor("q", requests + "}");
        assertThat(text("why?pod=q"))
                .contains(
                        "requests 8 GiB of memory on one card",
                        "Enough is free on 1 of 1 node, if its claims may have it")
                .contains("Note: its claims have 2 requests");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"requests\":[{\"name\":\"a\",\"exactly\":{\"deviceClassName\":\"gpushare\",\"count\":1,\"selectors\":[{\"cel\":{\"expression\":\"device.attributes['x.io'].nothing"
                    + " == 'y'\"}}]}}]}",
                "{\"requests\":[{\"name\":\"a\",\"exactly\":{\"deviceClassName\":\"gpushare\",\"count\":1}}],"
                        + "\"constraints\":[{\"matchAttribute\":\"resource.kubernetes.io/pcieRoot\"}]}",
            })
    void whatKubeSchedulerAloneCanTellIsNotPromised(String devices) throws Exception {
        waitingFor("p", devices);
        assertThat(text("why?pod=p"))
                .contains("Enough is free on 1 of 1 node, if its claims may have it, which kube-scheduler alone can"
                        + " tell:")
                .contains("It last wrote: 0/1 nodes are available: 1 cannot allocate all claims.")
                .contains("Note: which cards its claims select, kube-scheduler alone can tell.")
                .doesNotContain("fits");
        assertThat(text("why?pod=p&limit=2")).contains("  enough is free\n").doesNotContain("fits");
        assertThat(json("cluster")
                        .getJsonObject("waiting")
                        .getJsonArray("demands")
                        .getJsonObject(0)
                        .getBoolean("inPart"))
                .isTrue();
        running("card", null, "gpu-a");
        running("other", null, "gpu-b");
        assertThat(text("why?pod=p"))
                .contains("None of 1 node can take it now", "kube-scheduler alone can tell")
                .doesNotContain("fits");
        await().until(() -> {
            passed.addAndGet(Duration.ofSeconds(21).toNanos());
            return !api.eventsOf("p").isEmpty();
        });
        assertThat(api.eventsOf("p"))
                .last()
                .asString()
                .contains("Note: which cards its claims select, kube-scheduler alone can tell.")
                .doesNotContain("It fits");
    }

    @Test
    void aPodWhoseClaimDoesNotExistYetIsNotGuessedAt() throws Exception {
        pod("p", "absent");
        api.unscheduled("p", "Unschedulable", "device class nobodys does not exist");
        await().until(() -> extender.get(VIEW + "explain?pod=p").statusCode() == 200);
        assertThat(text("why?pod=p"))
                .contains("has ResourceClaims", "kube-scheduler last wrote: device class nobodys does not exist");
        assertThat(extender.ledger.waitingForOthers()).isEmpty();
    }
}
