package io.gpushare.extender.claims;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.running.TestApiServer;
import org.junit.jupiter.api.Test;

/** Cards that DeviceTaintRules taint. */
class TaintedCardsIT extends WithClaims {
    private static final String FREE = "gpushare_cluster_memory_free_bytes{model=\"Tesla T4\"} ";

    private void rule(String name, String selector, String effect) {
        api.put("""
            {"apiVersion":"resource.k8s.io/v1beta2","kind":"DeviceTaintRule","metadata":{"name":"%s"},
             "spec":{"deviceSelector":%s,"taint":{"key":"example.com/broken","value":"fan","effect":"%s"}}}\
            """.formatted(name, selector, effect));
    }

    @Test
    void whyTheListsThePageAndTheMetricsNameTheRuleUntilItIsGone() throws Exception {
        metric(FREE + (double) (30L << 30));
        waiting("p", "8Gi");
        rule("first", "{\"driver\":\"gpushare.io\",\"pool\":\"c\",\"device\":\"gpu-a\"}", "NoSchedule");
        metric(FREE + (double) (15L << 30));
        assertThat(text("why?pod=p")).contains("By its cards it fits on 1 of 1 node.");
        rule("second", "{\"device\":\"gpu-b\"}", "NoExecute");
        metric(FREE + 0.0);
        metric("gpushare_cluster_cards{model=\"Tesla T4\",state=\"cordoned\"} 2.0");
        assertThat(text("why?pod=p"))
                .contains("None of 1 node can take it now", "tainted by DeviceTaintRules")
                .contains("A card of node c could take it but is tainted by a DeviceTaintRule")
                .doesNotContain("repair or uncordon");
        assertThat(text("why?pod=p&limit=2"))
                .contains("has the taint example.com/broken=fan:NoSchedule by DeviceTaintRule first");
        assertThat(text("nodes"))
                .contains("# tainted")
                .contains("c GPU0: tainted (example.com/broken=fan:NoSchedule by DeviceTaintRule first), accepts no new"
                        + " claims that do not tolerate it")
                .contains("c GPU1: tainted (example.com/broken=fan:NoExecute by DeviceTaintRule second)");
        assertThat(node(json("cluster"), "c").getJsonArray("cards").encode())
                .contains("\"taint\":\"example.com/broken=fan:NoSchedule by DeviceTaintRule first\"");
        assertThat(extender.get("/gpushare-scheduler/inspect/c").body()).contains("\"taint\":\"example.com/broken=fan");

        api.deleteTaintRule("first");
        metric(FREE + (double) (15L << 30));
        assertThat(text("why?pod=p")).contains("By its cards it fits on 1 of 1 node.");
        rule("second", "{\"device\":\"gpu-b\"}", "None");
        metric(FREE + (double) (30L << 30));
        assertThat(text("nodes")).doesNotContain("tainted");
    }

    @Test
    void aClaimThatToleratesTaintsIsLeftToKubeScheduler() throws Exception {
        rule("all", "{}", "NoSchedule");
        metric(FREE + 0.0);
        waitingFor("p", """
            {"requests":[{"name":"a","exactly":{"deviceClassName":"gpushare","count":1,
              "capacity":{"requests":{"memory":"8Gi"}},
              "tolerations":[{"key":"example.com/broken","operator":"Exists"}]}}]}\
            """);
        assertThat(text("why?pod=p"))
                .contains("Enough is free on 1 of 1 node, if its claims may have it, which kube-scheduler alone can"
                        + " tell:")
                .contains("Note: which DeviceTaintRules its claims tolerate, kube-scheduler alone can tell.")
                .doesNotContain("fits");
        running("a", null, "gpu-a");
        running("b", null, "gpu-b");
        assertThat(text("why?pod=p")).contains("None of 1 node can take it now", "taken whole by other pods");
    }

    @Test
    void rulesAreKnownAfterARestartAndDoNotConcernCardsThatAreResources() throws Exception {
        api.node("r", TestApiServer.TWO_T4);
        rule("all", "{\"driver\":\"gpushare.io\"}", "NoSchedule");
        metric(FREE + (double) (30L << 30));
        restartExtender();
        metric(FREE + (double) (30L << 30));
        await().untilAsserted(() -> assertThat(text("nodes"))
                .contains("c GPU0: tainted", "c GPU1: tainted")
                .doesNotContain("r GPU0"));
    }
}
