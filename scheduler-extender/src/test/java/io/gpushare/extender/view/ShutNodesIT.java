package io.gpushare.extender.view;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.running.RunningExtender;
import io.gpushare.extender.running.TestApiServer;
import io.gpushare.extender.running.WithView;
import io.gpushare.time.Clocks;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The cards of nodes that are shut for a while are not free for new pods, and are the advice to those that wait. */
class ShutNodesIT extends WithView {
    private static final String SINCE = "2026-11-20T11:00:00Z";
    private static final double CARD = 15.0 * (1L << 30);

    private volatile Instant now = Instant.parse("2026-11-20T12:00:00Z");

    /** Node open has small cards, node shut large ones. */
    @Override
    protected void fill(TestApiServer cluster) {
        cluster.node("open", TestApiServer.TWO_T4.replace("15360", "4096"));
        cluster.node("shut", TestApiServer.TWO_T4.replace("GPU-", "GPU-s"));
    }

    @BeforeEach
    @Override
    protected void startExtender() throws Exception {
        api = new TestApiServer();
        fill(api);
        extender = new RunningExtender(api.kubeconfig(folder), 1 << 20, new Clocks(() -> now, () -> now)).ready();
        await().until(() -> extender.ledger.state().nodes().size() == 2);
    }

    @Test
    void aCordonedNodeIsToBeUncordoned() throws Exception {
        free(2 * CARD + 2 * 4.0 * (1L << 30));
        api.cordon("shut");
        shown("node is cordoned: uncordon it");
        waits();
        advises("Node shut could take it but is cordoned: uncordon it.", "1  node is cordoned");
    }

    @Test
    void aNodeThatIsNotReadyIsNamedWithTheTime() throws Exception {
        api.unreachable("shut", SINCE);
        shown("node is not ready since " + SINCE + ": see kubectl describe node");
        waits();
        advises("Node shut could take it but is not ready since " + SINCE, "1  node is not ready");
    }

    @Test
    void aTaintOfKubernetesIsNamed() throws Exception {
        api.taint("shut", "node.kubernetes.io/disk-pressure");
        shown("node has the taint node.kubernetes.io/disk-pressure:NoSchedule");
        waits();
        advises(
                "Node shut could take it but has the taint node.kubernetes.io/disk-pressure:NoSchedule, which it does"
                        + " not tolerate.",
                "1  node has a taint that the pod doesn't tolerate");
    }

    /** It may be a pause, or the pool of another team: the node keeps its cards, and a new node helps as well. */
    @Test
    void anotherTaintIsNamedBesideTheOtherAdvice() throws Exception {
        api.taint("shut", "upgrade");
        waits();
        assertThat(text("why?pod=p"))
                .contains("- Node shut could take it but has the taint upgrade:NoSchedule, which it does not tolerate.")
                .contains("The largest such card has 4 GiB");
        free(2 * CARD + 2 * 4.0 * (1L << 30));
    }

    @Test
    void aNodeThatPodsFillIsNamedIfNoOtherIsLargeEnough() throws Exception {
        for (int card = 0; card < 2; card++) {
            memoryPod("big" + card, 10);
            assertThat(extender.bind("big" + card, "uid-big" + card, "shut")).isEmpty();
        }
        api.cordon("shut");
        waits();
        advises("Node shut could take it when pods there end, but is cordoned: uncordon it.", "1  node is cordoned");
    }

    @Test
    void aPodThatToleratesTheTaintIsNotKeptAway() throws Exception {
        api.cordon("shut");
        api.pod("p", "uid-p", limits("8"));
        api.spec("p", "{\"tolerations\":[{\"operator\":\"Exists\"}]}");
        await().until(() -> text("why?pod=p").contains("By its cards it fits on 1 of 2 nodes"));
        assertThat(extender.bind("p", "uid-p", "shut")).isEmpty();
    }

    private void waits() {
        api.pod("p", "uid-p", limits("8"));
        api.refused("p");
        await().until(() -> !extender.ledger.waiting().isEmpty());
    }

    /** Why and the Event say that, and neither that the pod should request less nor that a node should be bought. */
    private void advises(String sentence, String reason) throws Exception {
        await().untilAsserted(() -> assertThat(text("why?pod=p")).contains(sentence, reason));
        assertThat(text("why?pod=p")).doesNotContain("request at most", "more node", "needs a new node");
        assertThat(json("explain?pod=p").getJsonObject("scaleUp")).isNull();
        await().pollInterval(Duration.ofMillis(200)).until(() -> {
            now = now.plusSeconds(4);
            return !api.eventsOf("p").isEmpty();
        });
        assertThat(api.eventsOf("p"))
                .last()
                .asString()
                .startsWith("GpuPodWaits: ")
                .contains(sentence)
                .doesNotContain("request at most");
    }

    /** The lists name the reason, and what is free is that of the other node. */
    private void shown(String why) throws Exception {
        await().untilAsserted(() -> assertThat(text("nodes")).contains("shut: " + why));
        assertThat(text("nodes?output=wide").lines().filter(line -> line.startsWith("shut ")))
                .singleElement()
                .asString()
                .contains(" 0 MiB ");
        assertThat(text("top")).contains("shut: " + why);
        assertThat(node(json("cluster"), "shut").getString("unusable")).startsWith(why);
        free(2 * 4.0 * (1L << 30));
    }

    private void free(double bytes) {
        await().untilAsserted(() -> assertThat(extender.get("/metrics").body())
                .contains("gpushare_cluster_memory_free_bytes{model=\"Tesla T4\"} " + bytes + "\n"));
    }
}
