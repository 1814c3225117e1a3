package io.gpushare.extender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** kube-scheduler's bytes and users' requests over real HTTP. */
class ProtocolIT {
    // As kube-scheduler 1.36 sends it: capitalised names without tags, the pod in ordinary Kubernetes JSON.
    private static final String POD = """
        {"metadata":{"name":"p","namespace":"default","uid":"uid-p","creationTimestamp":"2026-11-20T12:00:00Z",\
        "labels":{"app":"x"},"annotations":null},"spec":{"volumes":[{"name":"v","emptyDir":{}}],\
        "containers":[{"name":"main","image":"i","env":[{"name":"SECRET","value":"hush"}],\
        "resources":{"limits":{"aliyun.com/gpu-mem":"3"},"requests":{"aliyun.com/gpu-mem":"3"}}}],\
        "restartPolicy":"Always"},"status":{"phase":"Pending"}}\
        """;
    private static final String MEMORY = "Insufficient GPU Memory in one device";
    private static final int MAX_BODY = 1 << 20;

    private static TestApiServer api;
    private static RunningExtender extender;

    @BeforeAll
    static void start(@TempDir Path folder) throws Exception {
        api = new TestApiServer();
        api.node("n1", BindIT.TWO_T4);
        api.node("n2", BindIT.TWO_T4);
        api.node("n3", BindIT.TWO_T4);
        api.node("cpu", null);
        api.node("odd", "{\"version\":99}");
        extender = new RunningExtender(api.kubeconfig(folder), MAX_BODY).ready();
    }

    @AfterAll
    static void stop() throws Exception {
        extender.close();
        api.close();
    }

    @Test
    void filterByNamesAnswersInCapitalsWithConstantReasons() throws Exception {
        HttpResponse<String> answer = extender.post(
                "filter", "{\"Pod\":" + POD + ",\"Nodes\":null,\"NodeNames\":[\"n1\",\"cpu\",\"odd\",\"gone\"]}");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
        String none = "node is not a GPU share node: it has no inventory of cards"
                + " (is the GPU share device plugin running there?)";
        String odd = "node's inventory of cards can't be read"
                + " (see the extender's log, and the version of the device plugin there)";
        String failed = "{\"cpu\":\"" + none + "\",\"odd\":\"" + odd
                + "\",\"gone\":\"node is not known to the GPU share extender\"}";
        assertThat(answer.body())
                .isEqualTo("{\"NodeNames\":[\"n1\"],\"Nodes\":null,\"FailedNodes\":" + failed
                        + ",\"FailedAndUnresolvableNodes\":" + failed + ",\"Error\":\"\"}");
    }

    @Test
    void filterAcceptsLowerCaseNamesAndIgnoresUnknownFields() throws Exception {
        assertThat(extender.post(
                                "filter",
                                "{\"new\":[{\"a\":1}],\"nodenames\":[\"n1\"],\"nodes\":null,\"pod\":" + POD + "}")
                        .body())
                .startsWith("{\"NodeNames\":[\"n1\"],\"Nodes\":null,\"FailedNodes\":{}");
    }

    @Test
    void filterUsesTheSentenceThatUsersSearchForAndAllowsPreemption() throws Exception {
        api.node("full", BindIT.TWO_T4);
        await().atMost(Duration.ofSeconds(10))
                .until(() -> extender.ledger.node("full").isPresent());
        for (String name : List.of("x", "y")) {
            api.pod(name, "uid-" + name, new JsonObject().put("aliyun.com/gpu-mem", "15"));
            assertThat(extender.bind(name, "uid-" + name, "full")).isEmpty();
        }
        assertThat(extender.post("filter", args(POD, "\"full\"")).body())
                .isEqualTo("{\"NodeNames\":[],\"Nodes\":null,\"FailedNodes\":{\"full\":\"" + MEMORY
                        + "\"},\"FailedAndUnresolvableNodes\":{},\"Error\":\"\"}");
        api.node("full", null);
    }

    @Test
    void filterReportsNodesWhereNoEvictionHelps() throws Exception {
        String never = "No card is large enough, even when empty";
        String big = POD.replace("\"3\"", "\"16\"");
        assertThat(extender.post("filter", args(big, "\"n1\",\"n2\"")).body())
                .isEqualTo(
                        "{\"NodeNames\":[],\"Nodes\":null,\"FailedNodes\":{\"n1\":\"" + never + "\",\"n2\":\"" + never
                                + "\"},\"FailedAndUnresolvableNodes\":{\"n1\":\"" + never + "\",\"n2\":\"" + never
                                + "\"},\"Error\":\"\"}");
        String three = POD.replace("aliyun.com/gpu-mem", "aliyun.com/gpu-count");
        assertThat(new JsonObject(extender.post("filter", args(three, "\"n1\"")).body())
                        .getJsonObject("FailedAndUnresolvableNodes")
                        .getString("n1"))
                .isEqualTo("The node has fewer GPU cards than the pod requests");
    }

    @Test
    void filterOfCompleteNodesReturnsTheSameBytes() throws Exception {
        String n1 = "{\"metadata\":{\"name\":\"n1\",\"labels\":{\"größe\":\"ü 😀\"}},\"status\":{\"x\":[1,2.50,null]}}";
        String cpu = "{\"status\":{}, \"metadata\":{\"name\":\"cpu\"}}";
        String n2 = "{\"metadata\":{\"name\":\"n2\"}}";
        String nodes =
                ",\"Nodes\":{\"metadata\":{},\"items\":[" + n1 + " ,\n" + cpu + "," + n2 + "]},\"NodeNames\":null}";
        String answered = "{\"NodeNames\":null,\"Nodes\":{\"metadata\":{},\"items\":[";
        String withoutCards = POD.replace("aliyun.com/gpu-mem", "example.com/other");
        assertThat(extender.post("filter", "{\"Pod\":" + withoutCards + nodes).body())
                .startsWith(answered + n1 + "," + cpu + "," + n2 + "]}");

        String body = extender.post("filter", "{\"Pod\":" + POD + nodes).body();
        JsonObject failed = new JsonObject(body).getJsonObject("FailedNodes");
        assertThat(failed.fieldNames()).hasSize(2).contains("cpu");
        boolean first = failed.containsKey("n2");
        assertThat(failed.getString(first ? "n2" : "n1")).isEqualTo("not chosen");
        assertThat(body).startsWith(answered + (first ? n1 : n2) + "]}");
    }

    @Test
    void filterOfNoNodesAnswersNone() throws Exception {
        assertThat(extender.post("filter", args(POD, "")).body())
                .isEqualTo("{\"NodeNames\":[],\"Nodes\":null,\"FailedNodes\":{},\"FailedAndUnresolvableNodes\":{},"
                        + "\"Error\":\"\"}");
        assertThat(extender.post("filter", "{\"Pod\":" + POD + ",\"Nodes\":{\"metadata\":{},\"items\":null}}")
                        .body())
                .contains("\"Nodes\":{\"metadata\":{},\"items\":[]}")
                .contains("\"Error\":\"\"");
    }

    @Test
    void aContainerThatRequestsBothResourcesIsUnresolvableOnEveryNode() throws Exception {
        String both = POD.replace("\"limits\":{", "\"limits\":{\"aliyun.com/gpu-count\":\"1\",");
        JsonObject answer = new JsonObject(
                extender.post("filter", args(both, "\"n1\",\"cpu\"")).body());
        assertThat(answer.getJsonArray("NodeNames")).isEmpty();
        assertThat(answer.getJsonObject("FailedNodes").getString("n1"))
                .contains("container 'main' requests aliyun.com/gpu-mem and aliyun.com/gpu-count")
                .isEqualTo(answer.getJsonObject("FailedAndUnresolvableNodes").getString("cpu"));
    }

    @Test
    void aPodWithoutRequestsFitsEverywhere() throws Exception {
        assertThat(extender.post("filter", args(POD.replace("\"3\"", "\"0\""), "\"n1\",\"gone\""))
                        .body())
                .startsWith("{\"NodeNames\":[\"n1\",\"gone\"]");
    }

    @Test
    void initContainersAndSidecarsCountAsKubernetesCountsThem() throws Exception {
        String inits = POD.replace(
                "\"containers\":",
                "\"initContainers\":[{\"name\":\"side\",\"restartPolicy\":\"Always\",\"resources\":{\"limits\":"
                        + "{\"aliyun.com/gpu-mem\":\"%s\"}}}],\"containers\":");
        assertThat(extender.post("filter", args(inits.formatted("12"), "\"n1\""))
                        .body())
                .startsWith("{\"NodeNames\":[\"n1\"]");
        assertThat(extender.post("filter", args(inits.formatted("13"), "\"n1\""))
                        .body())
                .contains("No card is large enough, even when empty");
    }

    /** The lowest score is subtracted: an omitted host has 0, and only differences count. */
    @Test
    void scoresAreIntegersFrom0To10InAnArrayWithoutTheHostsOfTheLowestScore() throws Exception {
        bound("base", "3", "n2");
        assertThat(prioritized("binpack", "n1", "n2", "cpu", "gone")).isEqualTo("[{\"Host\":\"n2\",\"Score\":10}]");
        assertThat(prioritized("spread", "n1", "n2")).isEqualTo("[{\"Host\":\"n1\",\"Score\":10}]");
        assertThat(prioritized("spread", "cpu", "gone")).isEqualTo("[]");
    }

    /** kube-scheduler asks for the nodes that filter returned, for some of them, and in another order. */
    @Test
    void scoresDoNotDependOnTheNodesOfTheFilterBefore() throws Exception {
        bound("three", "3", "n2");
        bound("ten", "10", "n3");
        String n3 = "{\"Host\":\"n3\",\"Score\":10}";
        String all = prioritized("binpack", "n1", "n2", "n3");
        assertThat(all).matches("\\[\\{\"Host\":\"n2\",\"Score\":[1-9]}," + Pattern.quote(n3) + "]");
        String n2 = all.substring(1, all.indexOf('}') + 1);
        for (String[] asked : new String[][] {{"n1", "cpu", "n2", "n3"}, {"cpu", "n3", "n2", "n1"}, {"n1"}, {"cpu"}}) {
            extender.post("filter", args(by("binpack"), quoted(asked)));
            assertThat(prioritized("binpack", "n1", "n2", "n3")).isEqualTo("[" + n2 + "," + n3 + "]");
            assertThat(prioritized("binpack", "n3", "n2", "n1")).isEqualTo("[" + n3 + "," + n2 + "]");
            assertThat(prioritized("binpack", "n3", "n1")).isEqualTo("[" + n3 + "]");
        }
    }

    private static void bound(String pod, String units, String node) throws Exception {
        api.pod(pod, "uid-" + pod, new JsonObject().put("aliyun.com/gpu-mem", units));
        assertThat(extender.bind(pod, "uid-" + pod, node)).isEmpty();
    }

    private static String prioritized(String policy, String... nodes) throws Exception {
        return extender.post("prioritize", args(by(policy), quoted(nodes))).body();
    }

    private static String quoted(String... nodes) {
        return "\"" + String.join("\",\"", nodes) + "\"";
    }

    @Test
    void anUnknownPolicyIsReported() throws Exception {
        assertThat(extender.post("filter", args(by("tightest"), "\"n1\"")).body())
                .contains("\"NodeNames\":[]")
                .contains("annotation gpushare.io/policy names no policy: write one of [binpack, spread, fgd, wsp,"
                        + " wsp-fgd]")
                .doesNotContain("tightest");
    }

    private static String by(String policy) {
        return POD.replace(
                "\"metadata\":{", "\"metadata\":{\"annotations\":{\"gpushare.io/policy\":\"" + policy + "\"},");
    }

    @Test
    void protocolErrorsAreReportedWithoutThePod() throws Exception {
        assertError("filter", "{\"Pod\":null,\"NodeNames\":[\"n1\"]}", "the request has no Pod");
        assertError(
                "filter", "{\"Pod\":" + POD + "}", "the request names no nodes: it has neither NodeNames nor Nodes");
        assertError("filter", "{\"Pod\":" + POD + ",\"NodeNames\":[\"n1\"]", "the request body is not JSON at byte");
        assertError("filter", "{\"Pod\":" + POD + ",\"NodeNames\":\"n1\"}", "'NodeNames' is not an array");
        assertError("filter", "{\"Pod\":" + POD + ",\"NodeNames\":\"]}", "'NodeNames' is not an array");
        assertError("filter", "{} {}", "the request body goes on after its JSON object");
        assertError("filter", "[1]", "the request body is not a JSON object");
        assertError("filter", "", "the request body is not a JSON object");
        assertError(
                "bind",
                "{\"PodName\":\"p\",\"PodNamespace\":\"default\",\"Node\":\"n1\"}",
                "the request has no PodUID");
        assertError("bind", "nonsense", "the request body is not JSON at byte");
        assertThat(extender.post("prioritize", "{").statusCode()).isEqualTo(400);
    }

    private static void assertError(String verb, String body, String error) throws Exception {
        HttpResponse<String> answer = extender.post(verb, body);
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(new JsonObject(answer.body()).getString("Error"))
                .startsWith(error)
                .doesNotContain("hush");
    }

    @Test
    void wrongMethodsAndPathsAreHttpErrors() throws Exception {
        assertThat(extender.get("/gpushare-scheduler/filter").statusCode()).isEqualTo(405);
        assertThat(extender.post("inspect", "").statusCode()).isEqualTo(405);
        assertThat(extender.get("/gpushare-scheduler/nothing").statusCode()).isEqualTo(404);
        assertThat(extender.get("/").statusCode()).isEqualTo(404);
        assertThat(extender.get("/gpushare-scheduler/filter").headers().firstValue("Allow"))
                .contains("POST");
        assertThat(extender.post("../healthz", "").headers().firstValue("Allow"))
                .contains("GET, HEAD");
        HttpResponse<String> head = extender.send(extender.request("/gpushare-scheduler/inspect")
                .method("HEAD", HttpRequest.BodyPublishers.noBody())
                .build());
        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.headers().firstValueAsLong("Content-Length").orElseThrow())
                .isPositive();
    }

    @Test
    void aBodyBeyondTheLimitIsRefusedWhetherAnnouncedOrNot() throws Exception {
        String large = args(POD, "\"" + "x".repeat(MAX_BODY) + "\"");
        HttpResponse<String> answer = extender.post("filter", large);
        assertThat(answer.statusCode()).isEqualTo(413);
        assertThat(answer.body()).contains("nodeCacheCapable: true");
        HttpRequest chunked = extender.request("/gpushare-scheduler/filter")
                .POST(HttpRequest.BodyPublishers.fromPublisher(HttpRequest.BodyPublishers.ofString(large)))
                .build();
        assertThat(extender.send(chunked).statusCode()).isEqualTo(413);
    }

    @Test
    void fiveThousandNamesAreAnswered() throws Exception {
        StringBuilder names = new StringBuilder();
        for (int i = 0; i < 5000; i++) {
            names.append(i == 0 ? "" : ",")
                    .append("\"node-with-a-long-name-")
                    .append(i)
                    .append(".example\"");
        }
        JsonObject answer = new JsonObject(
                extender.post("filter", args(POD, names.toString())).body());
        assertThat(answer.getJsonObject("FailedNodes").size()).isEqualTo(5000);
    }

    @Test
    void inspectHasTheShapeOfGpushareWithEachCardsTotal() throws Exception {
        JsonObject all =
                new JsonObject(extender.get("/gpushare-scheduler/inspect").body());
        assertThat(all.getJsonArray("nodes").stream()
                        .map(node -> ((JsonObject) node).getString("name"))
                        .toList())
                .containsSubsequence("cpu", "n1", "n2", "odd");
        assertThat(extender.get("/gpushare-scheduler/inspect/n1").body())
                .isEqualTo("{\"nodes\":[{\"name\":\"n1\",\"totalGPU\":30,\"usedGPU\":0,\"unit\":\"GiB\",\"devs\":["
                        + card(0, "a") + "," + card(1, "b") + "]}]}");
        assertThat(extender.get("/gpushare-scheduler/inspect/nope").statusCode())
                .isEqualTo(404);
        assertThat(extender.get("/gpushare-scheduler/inspect/nope").body())
                .isEqualTo("{\"error\":\"node \\\"nope\\\" is not known\"}");
    }

    private static String card(int id, String letter) {
        return "{\"id\":" + id + ",\"totalGPU\":15,\"usedGPU\":0,\"uuid\":\"GPU-" + letter
                + "\",\"model\":\"Tesla T4\",\"health\":\"healthy\",\"whole\":false,\"pods\":[]}";
    }

    @Test
    void versionHealthAndMetricsAnswer() throws Exception {
        extender.post("filter", args(POD, "\"n1\",\"cpu\""));
        assertThat(extender.get("/version").body()).isEqualTo("0.0.0-test\n");
        assertThat(extender.get("/healthz").statusCode()).isEqualTo(200);
        String metrics = extender.get("/metrics").body();
        assertThat(metrics)
                .contains("gpushare_extender_request_duration_seconds_bucket{verb=\"filter\",le=\"0.001\"}")
                .contains("gpushare_extender_filtered_nodes_total{outcome=\"feasible\"}")
                .contains("gpushare_extender_filtered_nodes_total{outcome=\"no_inventory\"}")
                .contains("gpushare_extender_ledger_nodes{state=\"usable\"} 3.0")
                .contains("gpushare_extender_ledger_pods{standing=\"assumed\"} 0.0")
                .contains("gpushare_extender_unattributed_pods 0.0");
    }

    @Test
    void aCallerThatDisconnectsHarmsNobody() throws IOException, InterruptedException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), extender.port())) {
            OutputStream out = socket.getOutputStream();
            out.write("POST /gpushare-scheduler/filter HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\n{\"Pod\":"
                    .getBytes(StandardCharsets.UTF_8));
            out.flush();
        }
        assertThat(extender.get("/healthz").statusCode()).isEqualTo(200);
    }

    private static String args(String pod, String names) {
        return "{\"Pod\":" + pod + ",\"Nodes\":null,\"NodeNames\":[" + names + "]}";
    }
}
