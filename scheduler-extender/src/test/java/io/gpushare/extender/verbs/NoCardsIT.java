package io.gpushare.extender.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.running.TestApiServer;
import io.gpushare.extender.running.WithView;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.Test;

/** A node whose device plugin offers no cards: each view says why. */
class NoCardsIT extends WithView {
    private static final String WHY =
            "no cards to offer: NVIDIA's driver is not loaded (Driver Not Loaded (NVML code 9))."
                    + " Run nvidia-smi on the node";

    @Override
    protected void fill(TestApiServer cluster) {
        cluster.node("gpu", """
            {"version":1,"unitMiB":1024,"cards":[],
             "noCards":{"reason":"driver_not_loaded","detail":"Driver Not Loaded (NVML code 9)"}}\
            """);
        cluster.node("newer", """
            {"version":1,"unitMiB":1024,"cards":[],"noCards":{"reason":"cards_on_strike","detail":"more pay"}}\
            """);
        cluster.node("plain", null);
    }

    @Test
    void filterGivesAConstantReason() throws Exception {
        String filter = """
            {"Pod":{"metadata":{"name":"p","namespace":"default","uid":"u"},"spec":{"containers":[{"name":"main",
             "resources":{"limits":{"aliyun.com/gpu-mem":"3"}}}]}},"NodeNames":["gpu","newer"]}\
            """;
        JsonObject failed = new JsonObject(extender.post("filter", filter).body()).getJsonObject("FailedNodes");
        assertThat(failed.getString("gpu")).isEqualTo("node has no GPU cards to offer: NVIDIA's driver is not loaded");
        assertThat(failed.getString("newer")).contains("a reason that this version does not know");
        assertThat(extender.get("/metrics").body())
                .contains(
                        "gpushare_extender_ledger_nodes{state=\"no_cards\"} 2.0",
                        "gpushare_extender_filtered_nodes_total{outcome=\"no_cards\"} 2.0");
    }

    @Test
    void theCommandLineAndThePageSayWhatTheDriverReportedAndWhatToDo() throws Exception {
        memoryPod("waits", 3);
        assertThat(text("nodes")).contains("gpu: " + WHY, "newer: no cards to offer: ", "(more pay)");
        assertThat(text("details?node=gpu")).contains("gpu: " + WHY);
        assertThat(text("top")).startsWith("No cards.\n").contains("gpu: " + WHY);
        assertThat(text("why?pod=waits"))
                .contains("1  node has no GPU cards to offer: NVIDIA's driver is not loaded", "gpu: " + WHY);
        assertThat(node(json("cluster"), "gpu").getString("unusable")).startsWith(WHY);
        assertThat(node(json("nodes?names=gpu"), "gpu").getString("unusable")).startsWith(WHY);
        assertThat(extender.get("/gpushare-scheduler/inspect/gpu").body()).contains(WHY);
        assertThat(json("cluster").getInteger("plainNodes")).isEqualTo(1);
        assertThat(text("summary")).doesNotContain("plain");
    }
}
