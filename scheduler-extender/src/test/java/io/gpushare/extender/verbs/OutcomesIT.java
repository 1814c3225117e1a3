package io.gpushare.extender.verbs;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.running.TestApiServer;
import io.gpushare.extender.running.WithExtender;
import io.gpushare.extender.running.WithSharedExtender;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.Test;

/** Filter over HTTP after pods that it placed did not start, as the API server shows it. */
class OutcomesIT extends WithExtender {
    private static final String SENTENCE =
            "node's kubelet rejected the last GPU pods of this namespace; the next one has to wait";

    @Override
    protected void fill(TestApiServer cluster) {
        cluster.node("n1", TestApiServer.TWO_T4);
        cluster.node("n2", TestApiServer.TWO_T4);
    }

    @Test
    void aKubeletsRejectionMovesTheNextPodsToTheOtherNodeUntilAPodIsAdmitted() throws Exception {
        String node = placed("p1");
        assertThat(extender.bind("p1", "uid-p1", node)).isEmpty();
        api.rejected("p1", "UnexpectedAdmissionError");
        await().untilAsserted(() -> assertThat(failed("p2", node)).isEqualTo(SENTENCE));
        assertThat(extender.bind("p2", "uid-p2", node)).isEqualTo(SENTENCE);
        assertThat(extender.get("/metrics").body())
                .contains("gpushare_extender_rejected_pods_total 1.0")
                .contains("gpushare_extender_backing_off_nodes 1.0")
                .contains("gpushare_extender_filtered_nodes_total{outcome=\"backing_off\"}");
    }

    @Test
    void aPodThatFailedAfterItsContainersStartedIsNoRejection() throws Exception {
        String node = placed("p1");
        assertThat(extender.bind("p1", "uid-p1", node)).isEmpty();
        api.phase("p1", "Running");
        api.phase("p1", "Failed");
        await().until(() -> extender.ledger.podEntry("uid-p1").isEmpty());
        assertThat(placed("p2")).isEqualTo(node);
    }

    @Test
    void aNodeWhereNoBindFollowsIsPassedOver() throws Exception {
        String node = placed("p1");
        assertThat(placed("p1")).isEqualTo(node);
        assertThat(placed("p1")).isEqualTo(node);
        assertThat(placed("p1")).isNotEqualTo(node);
    }

    /** Creates the pod if it does not exist; returns the node that filter names. */
    private String placed(String name) throws Exception {
        return filter(name).getJsonArray("NodeNames").getString(0);
    }

    private String failed(String name, String node) throws Exception {
        return filter(name).getJsonObject("FailedNodes").getString(node);
    }

    private JsonObject filter(String name) throws Exception {
        if (extender.ledger.podEntry("uid-" + name).isEmpty()) {
            api.pod(name, "uid-" + name, new JsonObject().put("aliyun.com/gpu-mem", "3"));
            await().until(() -> extender.ledger.podEntry("uid-" + name).isPresent());
        }
        String pod = WithSharedExtender.POD
                .replace("\"name\":\"p\"", "\"name\":\"" + name + "\"")
                .replace("uid-p", "uid-" + name);
        return new JsonObject(extender.post("filter", WithSharedExtender.args(pod, "\"n1\",\"n2\""))
                .body());
    }
}
