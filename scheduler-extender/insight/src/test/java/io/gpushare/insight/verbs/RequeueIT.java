package io.gpushare.insight.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.gpushare.insight.running.TestApiServer;
import io.gpushare.insight.running.WithExtender;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Waiting pods that fit are requeued: the annotations that reach the API server. */
class RequeueIT extends WithExtender {
    private static final JsonObject TEN = new JsonObject().put("aliyun.com/gpu-mem", "10");
    private static final Duration SOON = Duration.ofSeconds(2);
    // Several rounds of the requeuer. WaitingPodsTest shows with a clock which pods are due when.
    private static final Duration ROUNDS = Duration.ofMillis(900);

    @Override
    protected void fill(TestApiServer cluster) {
        cluster.node("n1", TestApiServer.TWO_T4);
        cluster.pod("a", "uid-a", TEN);
        cluster.pod("b", "uid-b", TEN);
    }

    @BeforeEach
    void bindBoth() throws Exception {
        assertThat(extender.bind("a", "uid-a", "n1")).isEmpty();
        assertThat(extender.bind("b", "uid-b", "n1")).isEmpty();
    }

    @Test
    void aWaitingPodIsAnnotatedOnceWhenAPodEnds() throws Exception {
        api.pod("p", "uid-p", TEN);
        api.refused("p");
        quiet(0);
        api.phase("a", "Succeeded");
        await().atMost(SOON).until(() -> api.patches().size() == 1);
        JsonObject metadata = api.object("default/p").getJsonObject("metadata");
        assertThat(metadata.getJsonObject("annotations").fieldNames()).containsExactly("gpushare.io/room-seen");
        assertThat(extender.bind("p", "uid-p", "n1")).isEmpty();
        quiet(1);
        assertThat(extender.get("/metrics").body())
                .contains("gpushare_extender_nudges_total 1.0")
                .contains("gpushare_extender_waiting_pods{why=\"fits\"} 0.0");
    }

    @Test
    void aPodIsAnnotatedWhenACordonIsLifted() throws Exception {
        api.node("n2", cordoned(true));
        api.pod("p", "uid-p", TEN);
        api.refused("p");
        quiet(0);
        api.node("n2", cordoned(false));
        await().atMost(SOON).until(() -> api.patches().size() == 1);
    }

    @Test
    void ofAThousandPodsForOnePlaceThePodOfHighestPriorityIsAnnotatedFirst() throws Exception {
        for (int i = 0; i < 1000; i++) {
            api.pod("p" + i, "uid-" + i, TEN, i);
            api.refused("p" + i);
        }
        await().atMost(Duration.ofSeconds(20))
                .until(() -> extender.get("/metrics")
                        .body()
                        .contains("gpushare_extender_waiting_pods{why=\"fragmented\"} 1000.0"));
        quiet(0);
        api.delete("a");
        await().atMost(SOON).until(() -> !api.patches().isEmpty());
        assertThat(api.patches().getFirst()).contains("/p999");
        assertThat(api.patches()).hasSizeLessThan(3);
        assertThat(extender.bind("p999", "uid-999", "n1")).isEmpty();
        Thread.sleep(ROUNDS); // One more may be in flight.
        quiet(api.patches().size());
    }

    @Test
    void anExtenderThatDoesNotLeadAnnotatesNothing() throws Exception {
        api.pod("p", "uid-p", TEN);
        api.refused("p");
        extender.resign();
        api.delete("a");
        quiet(0);
    }

    private void quiet(int patches) throws InterruptedException {
        Thread.sleep(ROUNDS);
        assertThat(api.patches()).hasSize(patches);
    }

    private static String cordoned(boolean is) {
        JsonObject inventory = new JsonObject(TestApiServer.TWO_T4);
        inventory.getJsonArray("cards").forEach(card -> ((JsonObject) card).put("cordoned", is));
        return inventory.encode();
    }
}
