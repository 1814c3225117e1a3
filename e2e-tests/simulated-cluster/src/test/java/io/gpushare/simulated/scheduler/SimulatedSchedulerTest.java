package io.gpushare.simulated.scheduler;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.gpushare.simulated.apiserver.SimulatedApiServer;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.PodDocument;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SimulatedSchedulerTest {
    private static final String PODS = "/api/v1/namespaces/default/pods";
    private static final String THING = "example.com/thing";
    private static final String IGNORED = "example.com/ignored";

    private final SimulatedApiServer server = SimulatedApiServer.start();
    private final ApiClient cluster = new ApiClient(server.uri());
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final Map<String, String> answers = new ConcurrentHashMap<>();
    private final HttpServer extender;
    private final SimulatedScheduler scheduler;

    SimulatedSchedulerTest() throws IOException {
        extender = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        extender.createContext("/x/", this::answer);
        extender.start();
        URI prefix = URI.create("http://127.0.0.1:" + extender.getAddress().getPort() + "/x");
        scheduler = SimulatedScheduler.start(
                server.uri(),
                new ExtenderConfig(prefix, 1, Set.of(THING, IGNORED), Set.of(IGNORED), Duration.ofSeconds(5)),
                1,
                InstantSource.system());
    }

    private void answer(HttpExchange exchange) throws IOException {
        String verb = exchange.getRequestURI().getPath().replaceFirst("/x/", "");
        requests.add(verb + " " + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
        byte[] answer = answers.getOrDefault(verb, "{\"Error\":\"\"}").getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, answer.length);
        exchange.getResponseBody().write(answer);
        exchange.close();
    }

    @BeforeEach
    void threeNodes() throws Exception {
        node("n1", 4);
        node("n2", 4);
        node("n3", 1);
    }

    @AfterEach
    void close() {
        scheduler.close();
        extender.stop(0);
        cluster.close();
        server.close();
    }

    @Test
    void theExtenderGetsKubeSchedulersBytes() throws Exception {
        answers.put("filter", "{\"NodeNames\":[\"n1\",\"n2\"],\"Nodes\":null,\"FailedNodes\":{},\"Error\":\"\"}");
        answers.put("prioritize", "[{\"Host\":\"n1\",\"Score\":0},{\"Host\":\"n2\",\"Score\":10}]");
        String uid = create("p", 2);
        await().until(() -> requests.stream().anyMatch(request -> request.startsWith("bind ")));
        assertThat(requests.getFirst())
                .startsWith("filter {\"Pod\":{\"metadata\":{\"name\":\"p\"")
                .endsWith("},\"Nodes\":null,\"NodeNames\":[\"n1\",\"n2\"]}");
        assertThat(requests.getLast())
                .isEqualTo("bind {\"PodName\":\"p\",\"PodNamespace\":\"default\",\"PodUID\":\"" + uid
                        + "\",\"Node\":\"n2\"}");
    }

    @Test
    void aPodThatFitsNowhereIsToldWhyInKubeSchedulersWords() throws Exception {
        answers.put("filter", "{\"NodeNames\":[],\"FailedNodes\":{\"n1\":\"Too full\",\"n2\":\"Too full\"}}");
        create("p", 2);
        await().until(() -> pod("p").waitingReason()
                .equals("0/3 nodes are available: 1 Insufficient example.com/thing, 2 Too full."));
    }

    @Test
    void anExtendersErrorIsNoStatementAboutNodes() throws Exception {
        answers.put("filter", "{\"Error\":\"out of order\"}");
        create("p", 2);
        await().until(() -> pod("p").waitingReason().equals("out of order"));
        assertThat(pod("p").document()
                        .path("status")
                        .path("conditions")
                        .path(0)
                        .path("reason")
                        .asText())
                .isEqualTo("SchedulerError");
    }

    @Test
    void aPodOfNoInterestIsBoundWithoutTheExtenderAndRoomIsCounted() throws Exception {
        create("first", 0);
        await().until(() -> !pod("first").node().isEmpty());
        assertThat(requests).isEmpty();
    }

    @Test
    void aWaitingPodIsTriedAgainWhenANodeGrows() throws Exception {
        answers.put("filter", "{\"NodeNames\":[\"n1\"]}");
        create("p", 5);
        await().until(() -> pod("p").waitingReason().contains("3 Insufficient example.com/thing"));
        assertThat(requests).isEmpty();
        cluster.patch(
                "/api/v1/nodes/n1/status",
                ApiClient.document("{\"status\":{\"allocatable\":{\"" + THING + "\":\"9\"}}}"));
        await().until(() -> requests.stream().anyMatch(request -> request.startsWith("bind ")));
    }

    @Test
    void aPodWithGatesIsTriedWhenTheyAreGone() throws Exception {
        cluster.post(
                PODS,
                ApiClient.document("{\"metadata\":{\"name\":\"p\"},\"spec\":{\"schedulingGates\":[{\"name\":\"g\"}],"
                        + "\"containers\":[{\"name\":\"c\"}]}}"));
        create("other", 0);
        await().until(() -> !pod("other").node().isEmpty());
        assertThat(pod("p").node()).isEmpty();
        assertThat(pod("p").waitingReason()).isEqualTo("Scheduling is blocked due to non-empty scheduling gates");
        cluster.patch(
                PODS + "/p",
                ApiClient.document("{\"spec\":{\"schedulingGates\":null}}"),
                "application/merge-patch+json");
        await().until(() -> !pod("p").node().isEmpty());
    }

    @Test
    void aPodStaysAwayFromTaintsAndOtherPools() throws Exception {
        cluster.patch(
                "/api/v1/nodes/n1",
                ApiClient.document(
                        "{\"spec\":{\"taints\":[{\"key\":\"team\",\"value\":\"blue\",\"effect\":\"NoSchedule\"}]},"
                                + "\"metadata\":{\"labels\":{\"pool\":\"one\"}}}"),
                "application/merge-patch+json");
        cluster.post(
                PODS,
                ApiClient.document("{\"metadata\":{\"name\":\"p\"},\"spec\":{\"nodeSelector\":{\"pool\":\"one\"},"
                        + "\"containers\":[{\"name\":\"c\"}]}}"));
        await().until(() -> pod("p").waitingReason()
                .equals("0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 node(s) didn't match"
                        + " Pod's node affinity/selector."));
        cluster.patch(
                "/api/v1/nodes/n1", ApiClient.document("{\"spec\":{\"taints\":null}}"), "application/merge-patch+json");
        await().until(() -> pod("p").node().equals("n1"));
    }

    @Test
    void whatTheExtenderAloneCountsNeedsNoCapacity() throws Exception {
        answers.put("filter", "{\"NodeNames\":[\"n1\"]}");
        create("p", "\"" + IGNORED + "\":\"100\"");
        await().until(() -> requests.stream().anyMatch(request -> request.startsWith("bind ")));
    }

    @Test
    void aPodThatFitsNowhereLosesTheAllocationOfItsClaim() throws Exception {
        String claim = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims/gpu";
        cluster.post(
                "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims",
                ApiClient.document("{\"metadata\":{\"name\":\"gpu\"},\"status\":{\"allocation\":"
                        + "{\"devices\":{\"results\":[{\"pool\":\"a-node-that-is-gone\"}]}}}}"));
        cluster.post(
                PODS,
                ApiClient.document("{\"metadata\":{\"name\":\"p\"},\"spec\":{\"resourceClaims\":[{\"name\":\"c\","
                        + "\"resourceClaimName\":\"gpu\"}],\"containers\":[{\"name\":\"c\"}]}}"));
        await().until(() -> !pod("p").waitingReason().isEmpty());
        await().until(() -> !cluster.get(claim).document().path("status").has("allocation"));
    }

    private void node(String name, int things) throws Exception {
        cluster.post(
                "/api/v1/nodes",
                ApiClient.document("{\"metadata\":{\"name\":\"" + name
                        + "\"},\"status\":{\"allocatable\":{\"pods\":\"10\",\"" + THING + "\":\"" + things + "\"}}}"));
    }

    private String create(String name, int things) throws Exception {
        return create(name, things == 0 ? "" : "\"" + THING + "\":\"" + things + "\"");
    }

    private String create(String name, String limits) throws Exception {
        ApiClient.Answer answer = cluster.post(
                PODS,
                ApiClient.document(
                        "{\"metadata\":{\"name\":\"" + name + "\"},\"spec\":{\"containers\":[{\"name\":\"c\","
                                + "\"resources\":{\"limits\":{" + limits + "}}}]}}"));
        return new PodDocument(answer.document()).uid();
    }

    private PodDocument pod(String name) throws Exception {
        return new PodDocument(cluster.get(PODS + "/" + name).document());
    }
}
