package io.gpushare.extender.verbs;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.running.TestApiServer;
import io.gpushare.extender.running.WithExtender;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Waiting pods that fit are requeued: the annotations that reach the API server. WaitingPodsTest shows with a clock
 * which pods are due when.
 */
class RequeueIT extends WithExtender {
    private static final JsonObject TEN = new JsonObject().put("aliyun.com/gpu-mem", "10");
    // Several rounds of the requeuer.
    private static final Duration ROUNDS = Duration.ofMillis(900);

    private int rounds;

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
        await().until(() -> patches().size() == 1);
        JsonObject metadata = api.object("default/p").getJsonObject("metadata");
        assertThat(metadata.getJsonObject("annotations").fieldNames()).containsExactly("gpushare.io/room-seen");
        assertThat(extender.bind("p", "uid-p", "n1")).isEmpty();
        quiet(1);
        await().untilAsserted(() -> assertThat(extender.get("/metrics").body())
                .contains("gpushare_extender_nudges_total " + (1.0 + rounds))
                .contains("gpushare_extender_waiting_pods{why=\"fits\"} 0.0"));
    }

    @Test
    void aPodIsAnnotatedWhenACordonIsLifted() throws Exception {
        api.node("n2", cordoned(true));
        api.pod("p", "uid-p", TEN);
        api.refused("p");
        quiet(0);
        api.node("n2", cordoned(false));
        await().until(() -> patches().size() == 1);
    }

    @Test
    void ofAThousandPodsForOnePlaceThePodOfHighestPriorityIsAnnotatedFirst() throws Exception {
        for (int i = 0; i < 1000; i++) {
            api.pod("p" + i, "uid-" + i, TEN, i);
            api.refused("p" + i);
        }
        await().until(() ->
                extender.get("/metrics").body().contains("gpushare_extender_waiting_pods{why=\"fragmented\"} 1000.0"));
        quiet(0);
        api.delete("a");
        await().until(() -> !patches().isEmpty());
        assertThat(patches().getFirst()).contains("/p999");
        assertThat(patches()).hasSizeLessThan(3);
        assertThat(extender.bind("p999", "uid-999", "n1")).isEmpty();
        aRoundPasses(); // One more may be in flight.
        quiet(patches().size());
    }

    @Test
    void anExtenderThatDoesNotLeadAnnotatesNothing() throws Exception {
        api.pod("p", "uid-p", TEN);
        api.refused("p");
        extender.resign();
        api.delete("a");
        Thread.sleep(ROUNDS);
        assertThat(api.patches()).isEmpty();
    }

    /** No more pods are annotated. */
    private void quiet(int patches) {
        aRoundPasses();
        assertThat(patches()).hasSize(patches);
    }

    /** A pod that comes last of all is annotated, as each before it would have been that is due. */
    private void aRoundPasses() {
        String last = "last-" + rounds++;
        api.pod(last, "uid-" + last, new JsonObject().put("aliyun.com/gpu-mem", "1"), -1);
        api.refused(last);
        await().until(() -> api.patches().stream().anyMatch(path -> path.contains("/" + last)));
        api.delete(last);
        await().until(() -> extender.ledger.podEntry("uid-" + last).isEmpty());
    }

    private List<String> patches() {
        return api.patches().stream().filter(path -> !path.contains("/last-")).toList();
    }

    private static String cordoned(boolean is) {
        JsonObject inventory = new JsonObject(TestApiServer.TWO_T4);
        inventory.getJsonArray("cards").forEach(card -> ((JsonObject) card).put("cordoned", is));
        return inventory.encode();
    }
}
