package io.gpushare.kubernetes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.PodRef;
import io.gpushare.model.codec.ContainerResources;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Against a scripted HTTP server whose responses the library's own models reject. */
class KubernetesApiIT {
    private static final String POD = """
        {"metadata":{"name":"p","namespace":"ns","uid":"u1","creationTimestamp":"2026-11-20T10:00:00Z",
         "resourceVersion":"%s","fromTheFuture":1,"labels":{"a":"b"},"managedFields":[{"manager":"m"}],
         "annotations":{"gpushare.io/allocation":"x","other":"y"}},
         "spec":{"nodeName":"n1","priority":-7,"fromTheFuture":{},
          "initContainers":[{"name":"i","restartPolicy":"Always","resources":{"limits":{"aliyun.com/gpu-mem":"1"}}}],
          "containers":[{"name":"c","resources":{"requests":{"cpu":"1"},"limits":{"aliyun.com/gpu-mem":3}}}]},
         "status":{"phase":"%s","allocatedResources":{},"containerStatuses":[{"name":"c","containerID":\
          "containerd://ab12"}],"initContainerStatuses":[{"name":"i","containerID":"cri-o://cd34"},{"name":"w",\
          "containerID":""}],"conditions":[{"type":"PodScheduled","status":"False",
          "reason":"Unschedulable","message":"0/1 nodes"},{"type":"New","status":"Odd"}]}}\
        """;

    private final BlockingQueue<String> requests = new LinkedBlockingQueue<>();
    private final CountDownLatch end = new CountDownLatch(1);
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private HttpServer server;
    private KubernetesApi api;
    private String version = "36";
    private int bindingStatus = 201;

    @BeforeEach
    void start(@TempDir Path folder) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
        Path kubeconfig = folder.resolve("kubeconfig");
        Files.writeString(kubeconfig, """
            apiVersion: v1
            kind: Config
            clusters: [{name: c, cluster: {server: "http://127.0.0.1:%d"}}]
            contexts: [{name: c, context: {cluster: c, user: u}}]
            current-context: c
            users: [{name: u, user: {token: t}}]
            """.formatted(server.getAddress().getPort()));
        api = KubernetesApi.connect(kubeconfig, "test");
    }

    @AfterEach
    void stop() {
        end.countDown();
        api.close();
        server.stop(0);
        threads.close();
    }

    @Test
    void podsOfANewerServerAreReadAndBookmarksAreHarmless() throws InterruptedException {
        BlockingQueue<PodState> received = new LinkedBlockingQueue<>();
        BlockingQueue<PodState> gone = new LinkedBlockingQueue<>();
        try (Informer<PodState> pods = api.pods().watch("n1", new Informer.Listener<>() {
            @Override
            public void changed(PodState now) {
                received.add(now);
            }

            @Override
            public void gone(PodState last) {
                gone.add(last);
            }
        })) {
            PodState first = received.poll(20, TimeUnit.SECONDS);
            assertThat(first)
                    .isEqualTo(new PodState(
                            new PodRef("u1", "ns", "p"),
                            "n1",
                            false,
                            false,
                            Instant.parse("2026-11-20T10:00:00Z"),
                            -7,
                            true,
                            Map.of("gpushare.io/allocation", "x"),
                            List.of(
                                    new ContainerResources(
                                            "i", ContainerRole.SIDECAR, Map.of("aliyun.com/gpu-mem", "1")),
                                    new ContainerResources(
                                            "c", ContainerRole.APP, Map.of("cpu", "1", "aliyun.com/gpu-mem", "3"))),
                            Map.of("ab12", "c", "cd34", "i"),
                            null));
            assertThat(received.poll(20, TimeUnit.SECONDS)).matches(PodState::ended);
            assertThat(gone.poll(20, TimeUnit.SECONDS)).isNotNull();
            assertThat(pods.synced()).isTrue();
            assertThat(pods.lastHeard()).isAfter(Instant.EPOCH);
            assertThat(requests)
                    .filteredOn(request -> request.contains("/pods?"))
                    .allMatch(request -> request.contains("fieldSelector=spec.nodeName%3Dn1"))
                    .filteredOn(request -> !request.contains("watch=true"))
                    .as("one list, not another one at the bookmark")
                    .hasSize(1);
        }
    }

    @Test
    void aBindingIsOneCallWithUidAndAnnotations() throws KubernetesException {
        api.pods().bind(new PodRef("u1", "ns", "p"), "n1", Map.of("gpushare.io/allocation", "x"));
        assertThat(requests)
                .filteredOn(request -> request.startsWith("POST"))
                .singleElement()
                .asString()
                .contains("/api/v1/namespaces/ns/pods/p/binding")
                .contains("\"uid\":\"u1\"")
                .contains("\"annotations\":{\"gpushare.io/allocation\":\"x\"}")
                .doesNotContain("resourceVersion");
    }

    @Test
    void aRejectedBindingHasTheStatusAndTheServersMessage() {
        bindingStatus = 409;
        assertThatThrownBy(() -> api.pods().bind(new PodRef("u1", "ns", "p"), "n1", Map.of()))
                .isInstanceOfSatisfying(
                        KubernetesException.class, e -> assertThat(e.status()).isEqualTo(409))
                .hasMessageContaining("pod p is already assigned to node \"n2\"");
    }

    @Test
    void theUidIsComparedHereIfTheServerDoesNot() {
        version = "20+";
        assertThatThrownBy(() -> api.pods().bind(new PodRef("other", "ns", "p"), "n1", Map.of()))
                .hasMessageContaining("another pod has that name now");
        assertThat(requests).noneMatch(request -> request.startsWith("POST"));
    }

    @Test
    void aMissingPodIsEmptyAndAnUnreachableServerIsAnError() throws KubernetesException {
        assertThat(api.pods().read("ns", "missing")).isEmpty();
        server.stop(0);
        assertThatThrownBy(() -> api.pods().read("ns", "p"))
                .isInstanceOfSatisfying(
                        KubernetesException.class, e -> assertThat(e.status()).isZero());
    }

    @Test
    void aNodeIsAnnotatedByAMergePatch() throws KubernetesException {
        api.nodes().annotate("n1", Map.of("gpushare.io/inventory", "{\"a\":1}"));
        assertThat(requests)
                .singleElement()
                .asString()
                .startsWith("PATCH /api/v1/nodes/n1 application/merge-patch+json")
                .endsWith("{\"metadata\":{\"annotations\":{\"gpushare.io/inventory\":\"{\\\"a\\\":1}\"}}}");
    }

    @Test
    void aPodIsAnnotatedOnlyIfItIsStillThatPod() throws KubernetesException {
        api.pods().annotate(new PodRef("u1", "ns", "p"), Map.of("gpushare.io/allocation", "x"));
        assertThat(requests)
                .singleElement()
                .asString()
                .startsWith("PATCH /api/v1/namespaces/ns/pods/p application/merge-patch+json")
                .endsWith("{\"metadata\":{\"uid\":\"u1\",\"annotations\":{\"gpushare.io/allocation\":\"x\"}}}");
    }

    @Test
    void anEventNamesItsPodAndStaysWithinTheApisLimit() throws KubernetesException {
        PodEvent event = new PodEvent(true, "gpushare-device-plugin", "CardUnhealthy", "x".repeat(2000));
        EventSeries twice =
                EventSeries.once(Instant.parse("2026-11-20T10:00:00Z")).again(Instant.parse("2026-11-20T10:07:00Z"));
        api.events().record(new PodRef("u1", "ns", "p"), event, twice);
        assertThat(requests)
                .singleElement()
                .asString()
                .startsWith("POST /api/v1/namespaces/ns/events")
                .contains(
                        "\"involvedObject\":{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"name\":\"p\",\"namespace\":\"ns\"")
                .contains("\"reason\":\"CardUnhealthy\"")
                .contains(
                        "\"count\":2", "\"firstTimestamp\":\"2026-11-20T10:00", "\"lastTimestamp\":\"2026-11-20T10:07")
                .contains("\"type\":\"Warning\"")
                .contains("x".repeat(1023) + "…\"");
    }

    @Test
    void podsOfAllNodesOmitWhatOnlyTheirNodeNeeds() throws InterruptedException {
        BlockingQueue<PodState> received = new LinkedBlockingQueue<>();
        try (Informer<PodState> pods = api.pods().watch(null, new Informer.Listener<>() {
            @Override
            public void changed(PodState now) {
                received.add(now);
            }

            @Override
            public void gone(PodState last) {}
        })) {
            assertThat(received.poll(20, TimeUnit.SECONDS))
                    .isNotNull()
                    .satisfies(pod -> assertThat(pod.started()).isEmpty());
            assertThat(pods.synced()).isTrue();
        }
    }

    @Test
    void anEvictionHasTheUidAndFallsBackToTheOlderVersion() throws KubernetesException {
        PodRef pod = new PodRef("u1", "ns", "p");
        api.pods().evict(pod);
        assertThat(requests)
                .hasSize(2)
                .allMatch(request -> request.startsWith("POST /api/v1/namespaces/ns/pods/p/eviction")
                        && request.contains("\"preconditions\":{\"uid\":\"u1\"}"))
                .last()
                .asString()
                .contains("\"apiVersion\":\"policy/v1beta1\"");
        assertThatThrownBy(() -> api.pods().evict(new PodRef("u2", "ns", "guarded")))
                .isInstanceOfSatisfying(
                        KubernetesException.class, e -> assertThat(e.status()).isEqualTo(429));
        api.pods().evict(new PodRef("u3", "ns", "gone"));
    }

    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().toString();
        String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
        String type = exchange.getRequestHeaders().getFirst("Content-Type");
        requests.add(exchange.getRequestMethod() + " " + path + (type == null ? "" : " " + type) + " " + body);
        if (path.startsWith("/version")) {
            reply(exchange, 200, "{\"major\":\"1\",\"minor\":\"" + version + "\"}");
        } else if (path.endsWith("/binding")) {
            reply(
                    exchange,
                    bindingStatus,
                    bindingStatus == 201
                            ? "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Success\",\"code\":201}"
                            : "{\"kind\":\"Status\",\"message\":\"pod p is already assigned to node \\\"n2\\\"\"}");
        } else if (path.endsWith("/guarded/eviction")) {
            reply(exchange, 429, "{\"kind\":\"Status\",\"message\":\"a PodDisruptionBudget forbids it\"}");
        } else if (path.endsWith("/p/eviction")) {
            boolean known = body.contains("policy/v1beta1");
            reply(exchange, known ? 201 : 400, "{\"kind\":\"Status\",\"message\":\"no kind Eviction in policy/v1\"}");
        } else if (path.contains("watch=true")) {
            watch(exchange);
        } else if (path.startsWith("/api/v1/pods")) {
            reply(
                    exchange,
                    200,
                    "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[" + POD.formatted("1", "Running") + "]}");
        } else if (path.endsWith("/pods/p")) {
            reply(exchange, 200, POD.formatted("1", "Running"));
        } else if (path.endsWith("/events")) {
            reply(exchange, 201, "{\"kind\":\"Event\"}");
        } else if (path.startsWith("/api/v1/nodes/")) {
            reply(exchange, 200, "{\"metadata\":{\"name\":\"n1\"}}");
        } else {
            reply(exchange, 404, "{\"kind\":\"Status\",\"message\":\"not found\"}");
        }
    }

    private void watch(HttpExchange exchange) throws IOException {
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, 0);
        var out = exchange.getResponseBody();
        out.write("""
            {"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"2"},"spec":{"containers":null}}}
            """.getBytes(UTF_8));
        out.write(event("MODIFIED", POD.formatted("3", "Succeeded")));
        out.write(event("DELETED", POD.formatted("4", "Succeeded")));
        out.flush();
        try {
            end.await(30, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        exchange.close();
    }

    private static byte[] event(String type, String pod) {
        return ("{\"type\":\"" + type + "\",\"object\":" + pod.replace("\n", "") + "}\n").getBytes(UTF_8);
    }

    private static void reply(HttpExchange exchange, int status, String json) throws IOException {
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        byte[] bytes = json.getBytes(UTF_8);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }
}
