package io.gpushare.extender.verbs;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.ledger.Holding.Standing;
import io.gpushare.extender.ledger.LedgerCounts;
import io.gpushare.extender.running.TestApiServer;
import io.gpushare.extender.running.WithExtender;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The verb preempt in kube-scheduler's bytes, over real HTTP; two nodes of two cards of 15 units. */
class PreemptIT extends WithExtender {
    @Override
    protected void fill(TestApiServer cluster) {
        cluster.node("n1", TestApiServer.TWO_T4);
        cluster.node("n2", TestApiServer.TWO_T4);
        cluster.node("cpu", null);
    }

    @Test
    void anEmptyListGetsTheVictimsThatFreeOneCardAndUnresolvableNodesAreDropped() throws Exception {
        running("a", "n1", 8, 5);
        running("b", "n1", 8, 3);
        running("c", "n2", 8, 100);
        running("d", "n2", 8, 100);
        assertThat(preempt(10, 100, meta("n1", 0) + "," + meta("n2", 0) + "," + meta("cpu", 0)))
                .isEqualTo("{\"NodeNameToMetaVictims\":{\"n1\":{\"Pods\":[{\"UID\":\"uid-b\"}],"
                        + "\"NumPDBViolations\":0}}}");
        assertThat(extender.get("/metrics").body())
                .contains("gpushare_extender_preemption_nodes_total{outcome=\"extended\"} 1.0")
                .contains("gpushare_extender_preemption_nodes_total{outcome=\"dropped\"} 2.0");
    }

    @Test
    void kubeSchedulersVictimsAndTheirCountAreKept() throws Exception {
        running("a", "n1", 8, 5);
        running("b", "n1", 8, 3);
        running("b2", "n1", 5, 2);
        // The ledger knows no pod "uid-web"; kube-scheduler chose it for its CPU, and it frees no card. b2 shares a
        // card with a.
        assertThat(preempt(15, 100, meta("n1", 2, "uid-web", "uid-a")))
                .isEqualTo("{\"NodeNameToMetaVictims\":{\"n1\":{\"Pods\":[{\"UID\":\"uid-web\"},{\"UID\":\"uid-a\"},"
                        + "{\"UID\":\"uid-b2\"}],\"NumPDBViolations\":2}}}");
        assertThat(preempt(10, 100, meta("n1", 1, "uid-b")))
                .isEqualTo("{\"NodeNameToMetaVictims\":{\"n1\":{\"Pods\":[{\"UID\":\"uid-b\"}],"
                        + "\"NumPDBViolations\":1}}}");
    }

    @Test
    void completePodsAreReadAndReturnedByUid() throws Exception {
        running("a", "n1", 15, 5);
        running("b", "n1", 15, 5);
        String victim = "{\"metadata\":{\"name\":\"a\",\"namespace\":\"default\",\"uid\":\"uid-a\"},\"spec\":{}}";
        HttpResponse<String> response = extender.post(
                "preempt",
                "{\"Pod\":" + pod(15, 9) + ",\"NodeNameToVictims\":{\"n1\":{\"Pods\":[" + victim
                        + "],\"NumPDBViolations\":0}},\"NodeNameToMetaVictims\":null}");
        assertThat(response.body())
                .isEqualTo("{\"NodeNameToMetaVictims\":{\"n1\":{\"Pods\":[{\"UID\":\"uid-a\"}],"
                        + "\"NumPDBViolations\":0}}}");
    }

    @Test
    void noPodIsEvictedWhileThePodFits() throws Exception {
        running("a", "n1", 15, 5);
        running("b", "n1", 15, 5);
        assertThat(preempt(15, 100, meta("n1", 0) + "," + meta("n2", 0))).isEqualTo("{\"NodeNameToMetaVictims\":{}}");
    }

    @Test
    void theCardsOfANominatedPodAreKeptUntilItIsBound() throws Exception {
        api.pod("preemptor", "uid-preemptor", new JsonObject().put("aliyun.com/gpu-count", "2"), 100);
        api.nominated("preemptor", "n1");
        api.pod("small", "uid-small", new JsonObject().put("aliyun.com/gpu-mem", "1"), 0);
        await().until(() -> filter("small", 1, 0).contains("Insufficient GPU Memory in one device"));
        assertThat(extender.bind("small", "uid-small", "n1")).contains("Insufficient GPU Memory in one device");
        assertThat(filter("other", 1, 101)).contains("\"NodeNames\":[\"n1\"]");
        assertThat(extender.bind("preemptor", "uid-preemptor", "n1")).isEmpty();
    }

    private String filter(String name, int units, int priority) throws Exception {
        String pod = pod(units, priority).replace("\"uid-p\"", "\"uid-" + name + "\"");
        return extender.post("filter", "{\"Pod\":" + pod + ",\"NodeNames\":[\"n1\"]}")
                .body();
    }

    @Test
    void aPodWithAnInvalidAnnotationGetsNoVictims() throws Exception {
        running("a", "n1", 15, 5);
        running("b", "n1", 15, 5);
        assertThat(preemptFor(pod(15, 100), meta("n1", 0))).contains("uid-");
        assertThat(preemptFor(pod(15, 100, Map.of("gpushare.io/policy", "nonsense")), meta("n1", 0)))
                .isEqualTo("{\"NodeNameToMetaVictims\":{}}");
    }

    @Test
    void podsOfEqualOrHigherPriorityStay() throws Exception {
        running("a", "n1", 15, 5);
        running("b", "n1", 15, 7);
        assertThat(preempt(15, 5, meta("n1", 0))).isEqualTo("{\"NodeNameToMetaVictims\":{}}");
    }

    @Test
    void malformedRequestsAreRefusedWithASentence() throws Exception {
        assertRefused("{\"Pod\":" + pod(1, 0) + "}", "the request names no candidates");
        assertRefused("{\"NodeNameToMetaVictims\":{}}", "the request has no Pod");
        assertRefused(
                "{\"Pod\":" + pod(1, 0) + ",\"NodeNameToMetaVictims\":{\"n1\":{\"Pods\":[{}]}}}",
                "a pod among the victims has no UID");
        assertRefused(
                "{\"Pod\":" + pod(1, 0) + ",\"NodeNameToMetaVictims\":{\"n1\":{\"NumPDBViolations\":0.5}}}",
                "'NumPDBViolations' is not a whole number");
        assertRefused("{\"Pod\":{\"spec\":{\"priority\":3000000000}}}", "'priority' is beyond 32 bits");
    }

    private void assertRefused(String body, String sentence) throws Exception {
        HttpResponse<String> response = extender.post("preempt", body);
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(new JsonObject(response.body()).getString("error")).startsWith(sentence);
    }

    private String preempt(int units, int priority, String nodes) throws Exception {
        return preemptFor(pod(units, priority), nodes);
    }

    private String preemptFor(String pod, String nodes) throws Exception {
        HttpResponse<String> response = extender.post(
                "preempt",
                "{\"Pod\":" + pod + ",\"NodeNameToVictims\":null,\"NodeNameToMetaVictims\":{" + nodes + "}}");
        assertThat(response.statusCode()).isEqualTo(200);
        return response.body();
    }

    private static String pod(int units, int priority) {
        return pod(units, priority, Map.of());
    }

    private static String pod(int units, int priority, Map<String, String> annotations) {
        JsonObject spec = TestApiServer.spec(new JsonObject().put("aliyun.com/gpu-mem", String.valueOf(units)))
                .put("priority", priority);
        return new JsonObject()
                .put(
                        "metadata",
                        new JsonObject()
                                .put("name", "p")
                                .put("namespace", "default")
                                .put("uid", "uid-p")
                                .put("annotations", new JsonObject(Map.copyOf(annotations))))
                .put("spec", spec)
                .encode();
    }

    private static String meta(String node, int violations, String... uids) {
        JsonArray pods = new JsonArray();
        List.of(uids).forEach(uid -> pods.add(new JsonObject().put("UID", uid)));
        return "\"" + node + "\":"
                + new JsonObject()
                        .put("Pods", pods)
                        .put("NumPDBViolations", violations)
                        .encode();
    }

    /** Binds a pod and waits until the informer shows it bound. */
    private void running(String name, String node, int units, int priority) throws Exception {
        api.pod(name, "uid-" + name, new JsonObject().put("aliyun.com/gpu-mem", String.valueOf(units)), priority);
        await().untilAsserted(() ->
                assertThat(extender.bind(name, "uid-" + name, node)).isEmpty());
        await().until(() -> extender.ledger
                        .state()
                        .node(node)
                        .orElseThrow()
                        .cards()
                        .allocationOf("uid-" + name)
                        .isPresent()
                && LedgerCounts.of(extender.placer.ledger()).holding(Standing.BOUND) == 0);
    }
}
