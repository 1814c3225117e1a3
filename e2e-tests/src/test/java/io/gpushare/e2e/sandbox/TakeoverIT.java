package io.gpushare.e2e.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.sandbox.program.Program;
import io.gpushare.simulated.apiserver.SimulatedApiServer;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.network.TcpRelay;
import io.gpushare.simulated.patience.Patience;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two extenders as processes; the leader is lost during a stream of binds. */
class TakeoverIT {
    private static final int CARDS = 8;
    private static final int UNITS = 16;
    private static final int DEMAND = 5;
    // Three pods fill a card. There is capacity for exactly these pods, so a card allocated twice would show.
    private static final int PODS = 3 * CARDS * 4;
    private static final List<String> NODES = List.of("n1", "n2", "n3", "n4");
    private static final Path ROOT = Path.of(System.getProperty("gpushare.root", ".."));
    private static final String PATH = "/gpushare-scheduler/";
    private static final String EXTENDER_PODS = "/api/v1/namespaces/kube-system/pods";

    private record Extender(String name, int port, Program program, ApiClient http) {}

    @TempDir
    Path folder;

    private SimulatedApiServer server;
    private ApiClient api;
    private final List<Extender> extenders = new ArrayList<>();

    @BeforeEach
    void start() throws Exception {
        server = SimulatedApiServer.start();
        api = new ApiClient(server.uri());
        for (String node : NODES) {
            assertThat(api.post("/api/v1/nodes", node(node)).succeeded()).isTrue();
        }
        Files.writeString(folder.resolve("kubeconfig"), server.kubeconfig());
        for (String name : List.of("a", "b")) {
            assertThat(api.post(EXTENDER_PODS, extenderPod(name)).succeeded()).isTrue();
            extenders.add(extender(name));
        }
        leader();
    }

    @AfterEach
    void stop() {
        for (Extender extender : extenders) {
            extender.http().close();
            extender.program().close();
        }
        api.close();
        server.close();
    }

    @Test
    @Tag("alone")
    void aKilledLeaderLeavesNoCardGivenTwiceAndTheNextBindsWithin20Seconds() throws Exception {
        double seconds = stream(extender -> extender.program().kill());
        System.out.printf("killed: first bind by the next leader after %.1f s%n", seconds);
        assertThat(seconds).isLessThan(20);
    }

    @Test
    @Tag("alone")
    void aLeaderThatIsAskedToEndHandsOverAtOnce() throws Exception {
        double seconds = stream(extender -> extender.program().terminate());
        System.out.printf("terminated: first bind by the next leader after %.1f s%n", seconds);
        assertThat(seconds).isLessThan(10);
    }

    /** As through kube-proxy's NodePort: a connection stays with the extender that it reached first. */
    @Test
    void aLeaderThatWasFrozenDoesNotKeepTheConnectionOfKubeScheduler() throws Exception {
        ObjectNode filter =
                filter(api.post("/api/v1/namespaces/default/pods", pod("p")).document());
        Extender first = leader();
        try (TcpRelay nodePort = TcpRelay.start(this::selectedPort);
                ApiClient scheduler = new ApiClient(URI.create("http://127.0.0.1:" + nodePort.port()))) {
            assertThat(scheduler.post(PATH + "filter", filter).document().path("NodeNames"))
                    .hasSize(1);
            first.program().freeze();
            Extender second = extenders.stream()
                    .filter(extender -> !extender.equals(first))
                    .findFirst()
                    .orElseThrow();
            Await.until(Duration.ofSeconds(40), "the next leader", () -> ready(second), ready -> ready);
            Await.until(Duration.ofSeconds(5), "the Service selects it", this::selected, second.name()::equals);
            first.program().thaw();
            long refused = 0;
            for (int i = 0; i < 20; i++) {
                try {
                    JsonNode answer = scheduler.post(PATH + "filter", filter).document();
                    refused += answer.path("Error").asText("").contains("not the leader") ? 1 : 0;
                } catch (IOException e) {
                    refused++; // The former leader closed the idle connection at this moment.
                }
            }
            System.out.printf("frozen: %d of 20 answers by the former leader%n", refused);
            assertThat(refused).isLessThanOrEqualTo(1);
            assertThat(nodePort.connections()).isEqualTo(2);
        }
    }

    private OptionalInt selectedPort() {
        String selected = selected();
        return extenders.stream()
                .filter(extender -> extender.name().equals(selected))
                .mapToInt(Extender::port)
                .findFirst();
    }

    /** The pods with the label of the leader, which the Service selects. Both pods are ready. */
    private String selected() {
        try {
            return api.get(EXTENDER_PODS + "?labelSelector=gpushare.io/leader=gpushare-schd-extender")
                    .document()
                    .path("items")
                    .valueStream()
                    .map(pod -> pod.path("metadata").path("name").asText())
                    .collect(Collectors.joining(","));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private interface Loss {
        void of(Extender leader) throws IOException;
    }

    /**
     * Binds all pods, loses the leader midway and checks every card; returns the seconds until the next leader's first
     * bind. The second third of the pods is in flight while the leader is lost, and the last third is left for the next
     * leader: however fast the first one is, it can't bind them all.
     */
    private double stream(Loss loss) throws Exception {
        List<ObjectNode> pods = new ArrayList<>();
        for (int i = 0; i < PODS; i++) {
            pods.add(api.post("/api/v1/namespaces/default/pods", pod("p" + i)).document());
        }
        Extender first = leader();
        AtomicInteger bound = new AtomicInteger();
        AtomicLong next = new AtomicLong();
        CountDownLatch gone = new CountDownLatch(1);
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            List<Future<?>> schedulers = new ArrayList<>();
            for (int i = 0; i < PODS; i++) {
                ObjectNode pod = pods.get(i);
                boolean last = i >= 2 * PODS / 3;
                schedulers.add(threads.submit(() -> {
                    if (last) {
                        gone.await();
                    }
                    Extender by = schedule(pod);
                    bound.incrementAndGet();
                    if (!by.name().equals(first.name())) {
                        next.compareAndSet(0, System.nanoTime());
                    }
                    return null;
                }));
            }
            Await.until(Duration.ofSeconds(30), "a third is bound", bound::get, count -> count >= PODS / 3);
            long lost = System.nanoTime();
            loss.of(first);
            gone.countDown();
            for (Future<?> scheduler : schedulers) {
                Patience.result(scheduler);
            }
            assertThat(next.get()).as("binds by the next leader").isPositive();
            assertEachCardOnce();
            return (next.get() - lost) / 1e9;
        }
    }

    /** Repeats filter and bind, as kube-scheduler does, until the pod is bound; returns the extender that bound it. */
    private Extender schedule(ObjectNode pod) throws InterruptedException {
        ObjectNode filter = filter(pod);
        JsonNode metadata = pod.path("metadata");
        while (true) {
            for (Extender extender : extenders) {
                try {
                    JsonNode nodes = extender.http()
                            .post(PATH + "filter", filter)
                            .document()
                            .path("NodeNames");
                    if (!nodes.isEmpty()) {
                        ObjectNode bind = ApiClient.document()
                                .put("PodName", metadata.path("name").asText())
                                .put("PodNamespace", "default")
                                .put("PodUID", metadata.path("uid").asText())
                                .put("Node", nodes.get(0).asText());
                        JsonNode answer =
                                extender.http().post(PATH + "bind", bind).document();
                        if (answer.path("Error").asText("?").isEmpty()) {
                            return extender;
                        }
                    }
                } catch (IOException e) {
                    assertThat(e).as("the extender or its response is gone").isNotNull();
                }
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    private static ObjectNode filter(ObjectNode pod) {
        ObjectNode filter = ApiClient.document();
        filter.set("Pod", pod);
        NODES.forEach(filter.putArray("NodeNames")::add);
        return filter;
    }

    private void assertEachCardOnce() throws Exception {
        Map<String, Integer> used = new HashMap<>();
        Set<String> bound = new HashSet<>();
        for (JsonNode pod :
                api.get("/api/v1/namespaces/default/pods").document().path("items")) {
            String written = pod.path("metadata")
                    .path("annotations")
                    .path("gpushare.io/allocation")
                    .asText();
            ApiClient.document(written)
                    .path("containers")
                    .get(0)
                    .path("memory")
                    .properties()
                    .forEach(card -> used.merge(card.getKey(), card.getValue().asInt(), Integer::sum));
            assertThat(pod.path("spec").path("nodeName").asText()).isIn(NODES);
            bound.add(pod.path("metadata").path("name").asText());
        }
        long twice = used.values().stream().filter(units -> units > UNITS).count();
        System.out.printf("%d pods bound, %d cards used, %d over-committed%n", bound.size(), used.size(), twice);
        assertThat(bound).hasSize(PODS);
        assertThat(used).hasSize(CARDS * NODES.size());
        assertThat(twice).isZero();
    }

    /** Waits for a ready extender. */
    private Extender leader() {
        return Await.until(
                        Duration.ofSeconds(40),
                        "one extender is ready",
                        () -> extenders.stream().filter(TakeoverIT::ready).toList(),
                        ready -> ready.size() == 1)
                .getFirst();
    }

    private static boolean ready(Extender extender) {
        try {
            return extender.http().get("/readyz").succeeded();
        } catch (IOException _) {
            return false;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private Extender extender(String name) throws IOException {
        Program program = Program.start(
                "extender " + name,
                ROOT.resolve("scheduler-extender"),
                128,
                List.of(
                        "io.gpushare.extender.program.ExtenderMain",
                        "--kubeconfig=" + folder.resolve("kubeconfig"),
                        "--bind-address=127.0.0.1",
                        "--port=0",
                        "--leader-elect"),
                Map.of("POD_NAME", name, "POD_NAMESPACE", "kube-system"),
                folder.resolve("extender-" + name + ".log"));
        int port = Integer.parseInt(program.logged(Program.EXTENDER_PORT));
        return new Extender(name, port, program, new ApiClient(URI.create("http://127.0.0.1:" + port)));
    }

    private static ObjectNode node(String name) {
        List<String> cards = IntStream.range(0, CARDS)
                .mapToObj(i -> "{\"uuid\":\"GPU-%s-%d\",\"index\":%d,\"minor\":%d,\"model\":\"T\",\"memoryMiB\":%d}"
                        .formatted(name, i, i, i, UNITS * 1024))
                .toList();
        ObjectNode node = ApiClient.document("{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"" + name
                + "\",\"annotations\":{}}}");
        node.withObject("/metadata/annotations")
                .put(
                        "gpushare.io/inventory",
                        "{\"version\":1,\"unitMiB\":1024,\"cards\":[" + String.join(",", cards) + "]}");
        return node;
    }

    private static ObjectNode extenderPod(String name) {
        return ApiClient.document("""
            {"apiVersion":"v1","kind":"Pod","metadata":{"name":"%s","namespace":"kube-system"},
             "spec":{"containers":[{"name":"main","image":"i"}]}}\
            """.formatted(name));
    }

    private static ObjectNode pod(String name) {
        return ApiClient.document("""
            {"apiVersion":"v1","kind":"Pod","metadata":{"name":"%s","namespace":"default"},
             "spec":{"containers":[{"name":"main","image":"i",
              "resources":{"limits":{"aliyun.com/gpu-mem":"%d"},"requests":{"aliyun.com/gpu-mem":"%d"}}}]}}\
            """.formatted(name, DEMAND, DEMAND));
    }
}
