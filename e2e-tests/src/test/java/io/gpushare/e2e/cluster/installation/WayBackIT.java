package io.gpushare.e2e.cluster.installation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.gpushare.e2e.cluster.ApiServer;
import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.cluster.Cluster;
import io.gpushare.e2e.cluster.Pods;
import io.gpushare.e2e.cluster.SharedCluster;
import io.gpushare.e2e.sandbox.program.Program;
import io.gpushare.simulated.kubelet.PluginServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Our device plugin and a double of gpushare's beside a real kubelet, for longer than the five minutes after which it
 * forgets the resource of a plugin that ended. The double registers as gpushare's does: once at its start, and before
 * that it writes the number of cards into the node's status if another one is there.
 */
@Tag("wayback")
class WayBackIT {
    private static final Path ROOT = Path.of(System.getProperty("gpushare.root", ".."));
    private static final String MEMORY = GpushareDouble.MEMORY;
    private static final String COUNT = GpushareDouble.COUNT;
    private static final int UNITS = 2 * GpushareDouble.CARD;
    private static final Duration STATUS = Duration.ofSeconds(90);
    private static final Duration GRACE = Duration.ofMinutes(5);
    private static final Duration PAST_GRACE = GRACE.plusSeconds(40);

    private static Cluster cluster;
    private static ApiServer api;
    private static Pods pods;

    @TempDir
    private Path folder;

    private int port;

    @BeforeAll
    static void startCluster() {
        cluster = Cluster.start(ROOT);
        api = ApiServer.of(cluster.kubectl());
        pods = new Pods(cluster);
        System.out.println("e2e: the kubelet is "
                + cluster.kubectl()
                        .json("get", "node", cluster.node())
                        .at("/status/nodeInfo/kubeletVersion")
                        .asText());
    }

    @AfterAll
    static void stopCluster() {
        api.close();
        cluster.close();
    }

    @AfterEach
    void deletePods() {
        pods.deleteEverything();
    }

    @Test
    void theCountThatGpusharesPluginWritesStaysOnceTheKubeletHasForgottenOurs() throws Exception {
        try (Program ours = ours()) {
            awaitAllocatable(MEMORY, UNITS);
            awaitAllocatable(COUNT, 2);
            ours.checkAlive();
        }
        Instant left = Instant.now();
        // Started at once, it finds the count of our plugin and writes nothing: five minutes later, that is 0.
        try (PluginServer _ = gpushares()) {
            awaitAllocatable(MEMORY, UNITS);
            Await.until(
                    PAST_GRACE, "the kubelet sets the count to 0", () -> capacity(COUNT), count -> count.equals("0"));
            print("capacity " + COUNT + " is 0", left);
            assertThat(Duration.between(left, Instant.now())).isGreaterThan(GRACE);
        }
        // A kubelet disconnects a registration that comes before it has cleaned up the former stream.
        awaitAllocatable(MEMORY, 0);
        // Started now, as the guide says, it writes the count, which no kubelet touches any more.
        try (PluginServer _ = gpushares()) {
            assertThat(capacity(COUNT)).isEqualTo("2");
            Instant returned = Instant.now();
            staysFor(
                    PAST_GRACE,
                    "the node has gpushare's cards",
                    () -> capacity(COUNT) + " " + capacity(MEMORY),
                    "2 30");
            cluster.restartKubelet();
            Await.until(STATUS, "the kubelet waits for plugins", () -> capacity(MEMORY), "0"::equals);
            assertThat(capacity(COUNT)).isEqualTo("2");
            print("capacity " + COUNT + " is still 2", returned);
        }
        try (PluginServer _ = gpushares()) {
            awaitAllocatable(MEMORY, UNITS);
            awaitAllocatable(COUNT, 2);
            runs("back", "0");
        }
    }

    @Test
    void ofTwoPluginsOnOneNodeOneServesAndOursSaysSoAndComesBack() throws Exception {
        PluginServer gpushares = gpushares();
        try (Program ours = ours()) {
            Await.until(STATUS, "our plugin waits", this::log, log -> log.contains("waiting until it is stopped"));
            awaitAllocatable(MEMORY, UNITS);
            gpushares.close();
            Await.until(STATUS, "our plugin takes the gap", this::ready, "200"::equals);
            gpushares = gpushares();
            Instant over = Instant.now();
            Await.until(
                    STATUS,
                    "our plugin is not ready",
                    this::ready,
                    now -> now.contains("another device plugin serves"));
            print("our plugin is not ready", over);
            runs("theirs", "0");
            assertThat(inventory()).contains("\"reason\":\"other_plugin\"");

            staysFor(PAST_GRACE, "gpushare's plugin serves alone", () -> allocatable(MEMORY), String.valueOf(UNITS));
            assertThat(ready()).contains("another device plugin serves");
            runs("theirs-later", "0");

            gpushares.close();
            Instant gone = Instant.now();
            Await.until(STATUS, "our plugin serves again", this::ready, "200"::equals);
            print("our plugin serves again", gone);
            pods.deleteEverything();
            awaitAllocatable(MEMORY, UNITS);
            runs("ours", "GPU-");
            staysFor(PAST_GRACE, "our plugin serves", () -> allocatable(MEMORY), String.valueOf(UNITS));
            runs("ours-later", "GPU-");
            ours.checkAlive();
        } finally {
            gpushares.close();
        }
    }

    private static void print(String what, Instant since) {
        System.out.printf(
                "e2e: %s after %.1f s%n",
                what, Duration.between(since, Instant.now()).toMillis() / 1000.0);
    }

    /** A new pod runs and sees that card. */
    private static void runs(String name, String card) {
        pods.createMemory(name, 2);
        pods.running(name);
        assertThat(pods.sees(name, "main")).startsWith(card);
    }

    private static void staysFor(Duration time, String what, Supplier<String> value, String expected) {
        Instant end = Instant.now().plus(time);
        while (Instant.now().isBefore(end)) {
            assertThat(value.get()).as(what).isEqualTo(expected);
            Await.pause();
        }
    }

    private static void awaitAllocatable(String resource, int amount) {
        Await.until(STATUS, resource + " is " + amount, () -> allocatable(resource), String.valueOf(amount)::equals);
    }

    private static String allocatable(String resource) {
        return node().at("/status/allocatable").path(resource).asText();
    }

    private static String capacity(String resource) {
        return node().at("/status/capacity").path(resource).asText();
    }

    private static String inventory() {
        return node().at("/metadata/annotations/gpushare.io~1inventory").asText();
    }

    /** The node; on a busy machine the API server may not respond in time. */
    private static JsonNode node() {
        return Await.until(STATUS, "the API server responds", WayBackIT::nodeNow, node -> !node.isMissingNode());
    }

    private static JsonNode nodeNow() {
        try {
            return api.get("/api/v1/nodes/" + cluster.node()).body();
        } catch (IOException e) {
            return MissingNode.getInstance();
        }
    }

    private static PluginServer gpushares() throws IOException {
        return GpushareDouble.plugin(cluster, api, _ -> Map.of("NVIDIA_VISIBLE_DEVICES", "0"));
    }

    private Program ours() throws IOException {
        port = Program.freePort();
        Path driver = ROOT.resolve("nvml-binding/target/simulated-driver/libnvidia-ml.so.1")
                .toAbsolutePath();
        String cards = String.join("\n", SharedCluster.twoT4()) + "\n";
        return Program.start(
                "device-plugin",
                ROOT.resolve("device-plugin"),
                64,
                List.of(
                        "io.gpushare.plugin.PluginMain",
                        "--node-name=" + cluster.node(),
                        "--kubeconfig="
                                + Files.writeString(
                                        folder.resolve("kubeconfig"),
                                        cluster.kubectl().run("config", "view", "--raw", "--minify")),
                        "--nvml-library=" + driver,
                        "--kubelet-dir=" + cluster.kubeletFolder(),
                        "--metrics-address=127.0.0.1:" + port),
                Map.of(
                        "GPUSHARE_SIMULATED_CARDS",
                        Files.writeString(folder.resolve("cards"), cards).toString()),
                folder.resolve("plugin.log"));
    }

    private String log() {
        try {
            return Files.readString(folder.resolve("plugin.log"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The response of our plugin's readiness: 200, or its code and why not. */
    private String ready() {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/readyz"))
                .timeout(Duration.ofSeconds(5))
                .build();
        try (HttpClient http = HttpClient.newHttpClient()) {
            HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
            return response.statusCode() == 200 ? "200" : response.statusCode() + " " + response.body();
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
