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
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

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
                .contains("1  node serves claims (deploy/CLAIMS.md): write a ResourceClaim")
                .contains("- Node c serves claims (deploy/CLAIMS.md): write a ResourceClaim.");
        metric("gpushare_extender_waiting_pods{why=\"impossible\"} 1.0");
        String filter = """
            {"Pod":{"metadata":{"name":"p","namespace":"default","uid":"uid-p"},"spec":{"containers":[{"name":"main",
             "resources":{"limits":{"aliyun.com/gpu-mem":"3"}}}]}},"NodeNames":["c"]}\
            """;
        assertThat(extender.post("filter", filter).body())
                .contains("node serves claims (deploy/CLAIMS.md): write a ResourceClaim");
    }

    @Test
    void aPodWithClaimsIsToldThatNoNodeServesThem() throws Exception {
        api.node("c", TestApiServer.TWO_T4);
        waiting("p", "3Gi");
        assertThat(text("why?pod=p"))
                .contains("1  node does not serve claims: it offers its cards as resources")
                .contains("- No node serves claims: request the cards as resources, or label a node with"
                        + " gpushare.io/serve=dra (deploy/CLAIMS.md).");
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
