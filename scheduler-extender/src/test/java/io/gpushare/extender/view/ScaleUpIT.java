package io.gpushare.extender.view;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.running.TestApiServer;
import io.gpushare.extender.running.WithView;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.Test;

/** Which new nodes would let a pod run: on a cluster without nodes, and on one with kinds of nodes. */
class ScaleUpIT extends WithView {
    @Override
    protected void fill(TestApiServer cluster) {}

    @Test
    void aClusterWithoutCardsNeedsANewKindOfNode() throws Exception {
        memoryPod("p", 8);
        assertThat(text("why?pod=p"))
                .contains("No node of the cluster has cards: it needs a new node that offers 8 units of memory on one"
                        + " card.");
        api.node("plain", null);
        await().until(() -> text("why?pod=p").contains("None of 1 node"));
        assertThat(json("explain?pod=p").getJsonObject("scaleUp").getString("sentence"))
                .startsWith("No node of the cluster has cards");
    }

    @Test
    void theSmallestKindThatTakesThePodIsNamedWithItsNumber() throws Exception {
        api.node("t4", TestApiServer.TWO_T4);
        api.node("large", TestApiServer.TWO_T4.replace("15360", "81920").replace("Tesla T4", "NVIDIA A100"));
        await().until(() -> extender.ledger.state().node("large").isPresent()
                && extender.ledger.state().node("t4").isPresent());
        whole("uses-t4", 2);
        assertThat(extender.bind("uses-t4", "uid-uses-t4", "t4")).isEmpty();
        whole("uses-large", 2);
        assertThat(extender.bind("uses-large", "uid-uses-large", "large")).isEmpty();
        memoryPod("huge", 90);
        assertThat(text("why?pod=huge"))
                .contains("As it is requested now, no kind of node in the cluster could take it, even when empty: it"
                        + " needs a new node that offers 90 GiB of memory on one card.");
        memoryPod("first", 12);
        assertThat(text("why?pod=first")).contains("1 more node like t4 (2 × Tesla T4, 15 GiB) would let it run.");
        for (String name : new String[] {"first", "second", "third"}) {
            memoryPod(name, 12);
            api.refused(name);
        }
        await().until(() -> extender.ledger.waiting().size() == 3);
        memoryPod("fourth", 12);
        assertThat(text("why?pod=fourth"))
                .contains("1 more node like large (2 × NVIDIA A100, 80 GiB) would let it run, after 3 waiting pods that"
                        + " come before it.");
        memoryPod("giant", 70);
        JsonObject scaleUp = json("explain?pod=giant").getJsonObject("scaleUp");
        assertThat(scaleUp.getString("like")).isEqualTo("large");
        assertThat(scaleUp.getInteger("nodes"))
                .as("as many as the policy needs, which may divide the smaller pods over both cards")
                .isBetween(1, 2);
        assertThat(scaleUp.getString("sentence")).endsWith(" let it run, after 3 waiting pods that come before it.");
    }

    private void whole(String name, int cards) {
        api.pod(name, "uid-" + name, new JsonObject().put("aliyun.com/gpu-count", String.valueOf(cards)));
        await().until(() -> extender.ledger.podEntry("uid-" + name).isPresent());
    }
}
