package io.gpushare.extender.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.running.WithSharedExtender;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Errors and limits of the protocol, and the paths beside it, over real HTTP. */
class ProtocolIT extends WithSharedExtender {
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
        HttpResponse<String> response = extender.post(verb, body);
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(new JsonObject(response.body()).getString("Error"))
                .startsWith(error)
                .doesNotContain("hush");
    }

    @Test
    void wrongMethodsAndPathsAreHttpErrors() throws Exception {
        assertThat(extender.get("/gpushare-scheduler/filter").statusCode()).isEqualTo(405);
        assertThat(extender.post("inspect", "").statusCode()).isEqualTo(405);
        assertThat(extender.get("/gpushare-scheduler/nothing").statusCode()).isEqualTo(404);
        assertThat(extender.get("/").headers().firstValue("Location")).contains("ui/");
        assertThat(extender.get("/gpushare-scheduler/v1").statusCode()).isEqualTo(404);
        assertThat(extender.get("/gpushare-scheduler/inspect/a/n1").statusCode())
                .isEqualTo(404);
        assertThat(extender.get("/gpushare-scheduler/filter").headers().firstValue("Allow"))
                .contains("POST");
        assertThat(extender.post("../healthz", "").headers().firstValue("Allow").orElseThrow())
                .contains("GET")
                .contains("HEAD");
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
        HttpResponse<String> response = extender.post("filter", large);
        assertThat(response.statusCode()).isEqualTo(413);
        assertThat(response.body()).contains("nodeCacheCapable: true");
        HttpRequest chunked = extender.request("/gpushare-scheduler/filter")
                .POST(HttpRequest.BodyPublishers.fromPublisher(HttpRequest.BodyPublishers.ofString(large)))
                .build();
        assertThat(extender.send(chunked).statusCode()).isEqualTo(413);
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
        assertThat(extender.get("/gpushare-scheduler/inspect/").body())
                .as("all nodes, as with gpushare")
                .isEqualTo(extender.get("/gpushare-scheduler/inspect").body());
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
    void versionHealthAndMetricsRespond() throws Exception {
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
    void aCallerThatDisconnectsDoesNoHarm() throws IOException, InterruptedException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), extender.port())) {
            OutputStream out = socket.getOutputStream();
            out.write("POST /gpushare-scheduler/filter HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\n{\"Pod\":"
                    .getBytes(StandardCharsets.UTF_8));
            out.flush();
        }
        assertThat(extender.get("/healthz").statusCode()).isEqualTo(200);
    }
}
