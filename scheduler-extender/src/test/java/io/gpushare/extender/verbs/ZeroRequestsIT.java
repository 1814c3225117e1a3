package io.gpushare.extender.verbs;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.running.TestApiServer;
import io.gpushare.extender.running.WithView;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A kubelet rejects a pod that requests 0 of a resource of which it has no healthy device: filter keeps it away. */
class ZeroRequestsIT extends WithView {
    private static final String WHY = "node's kubelet rejects the pod: it requests 0 of a resource";

    /** Node moved has no healthy device any more, and node other never had a name of ours. */
    @Override
    protected void fill(TestApiServer cluster) {
        cluster.node("moved", TestApiServer.TWO_T4);
        cluster.node("fine", TestApiServer.TWO_T4.replace("GPU-", "GPU-f"));
        cluster.node("plain", null);
    }

    @ParameterizedTest
    @ValueSource(strings = {"aliyun.com/gpu-mem", "aliyun.com/gpu-count", "nvidia.com/mig-1g.5gb"})
    void aNodeWithoutAHealthyDeviceIsRefused(String resource) throws Exception {
        api.allocatable("moved", resource, "0");
        await().untilAsserted(() -> assertThat(filtered(new JsonObject().put(resource, "0")))
                .contains("\"moved\":\"" + WHY)
                .contains("\"NodeNames\":[\"fine\",\"plain\"]"));
        assertThat(extender.get("/metrics").body())
                .contains("gpushare_extender_filtered_nodes_total{outcome=\"zero_of_none\"}");
        api.pod("p", "uid-p", new JsonObject().put(resource, "0"));
        await().until(() -> extender.get(VIEW + "explain?pod=p").statusCode() == 200);
        assertThat(text("why?pod=p"))
                .contains("It requests 0 of " + resource + ": 1 node, such as moved, would reject it, because the"
                        + " kubelet there has no healthy device of that. Leave it out.");
        api.allocatable("moved", resource, "1");
        await().untilAsserted(() ->
                assertThat(filtered(new JsonObject().put(resource, "0"))).doesNotContain(WHY));
    }

    /** Memory pods on each card leave no whole card: a pod that shares memory and names whole cards is rejected too. */
    @Test
    void thePodMayRequestSomethingElse() throws Exception {
        JsonObject limits = limits("3").put("aliyun.com/gpu-count", "0");
        api.allocatable("moved", "aliyun.com/gpu-count", "0");
        await().untilAsserted(() ->
                assertThat(filtered(limits)).contains("\"moved\":\"" + WHY).contains("\"NodeNames\":[\"fine\"]"));
        api.pod("p", "uid-p", limits);
        await().until(() -> extender.get(VIEW + "explain?pod=p").statusCode() == 200);
        assertThat(text("why?pod=p")).contains("1  " + WHY);
        assertThat(filtered(limits("3"))).doesNotContain(WHY);
    }

    @Test
    void whyOfARejectedPodNamesTheCause() throws Exception {
        api.pod("p", "uid-p", new JsonObject().put("aliyun.com/gpu-mem", "0"));
        api.boundByOther("p", "moved", Map.of());
        api.rejected(
                "p",
                "UnexpectedAdmissionError",
                "Pod was rejected: Allocate failed due to no healthy devices present; cannot allocate unhealthy devices"
                        + " aliyun.com/gpu-mem, which is unexpected");
        await().until(() -> extender.get(VIEW + "explain?pod=p").statusCode() == 200);
        assertThat(text("why?pod=p"))
                .contains(
                        "The pod requests 0 of aliyun.com/gpu-mem, for which a kubelet needs a healthy device as well:"
                                + " leave aliyun.com/gpu-mem out.")
                .doesNotContain("reboot");
    }

    private String filtered(JsonObject limits) throws Exception {
        JsonObject pod = new JsonObject()
                .put(
                        "metadata",
                        new JsonObject()
                                .put("name", "z")
                                .put("namespace", "default")
                                .put("uid", "uid-z"))
                .put("spec", TestApiServer.spec(limits));
        return extender.post(
                        "filter",
                        new JsonObject()
                                .put("Pod", pod)
                                .put("NodeNames", new JsonArray("[\"moved\",\"fine\",\"plain\"]"))
                                .encode())
                .body();
    }
}
