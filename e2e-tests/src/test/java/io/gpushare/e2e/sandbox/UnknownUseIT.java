package io.gpushare.e2e.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.sandbox.ClusterSnapshot.Placed;
import io.gpushare.e2e.sandbox.view.Browser;
import io.gpushare.e2e.sandbox.view.KubectlGpushare;
import io.gpushare.e2e.sandbox.workload.PodSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Containers that train on one card with MPS, where the driver reports only what they compute together: by the metrics,
 * the command line, the page and the alerts. The programs are real; the card is simulated as a real one answered.
 */
class UnknownUseIT {
    private static final Path ROOT =
            Path.of(System.getProperty("gpushare.root", "..")).toAbsolutePath().normalize();
    private static final Path SCREENSHOTS = Path.of("target/screenshots");
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final String PAGE = "/api/v1/namespaces/kube-system/services/gpushare-schd-extender:http/proxy/ui/";
    private static final String REASON = "Several containers have programs on the card, and with MPS the driver reports"
            + " only what they compute together.";

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path folder;

    private final Map<String, Process> programs = new TreeMap<>();
    private SandboxCluster sandbox;

    @BeforeEach
    void start() throws Exception {
        Prometheus.requireInstalled();
        sandbox = new SandboxCluster(ROOT, folder);
        sandbox.start(List.of(new SandboxNode(
                "node-a", List.of("kind=T4 memory=15GiB utilisation=65/20", "kind=T4 memory=15GiB"), true)));
        Await.until(PATIENCE, "the node offers its cards", this::ready, ready -> ready);
        sandbox.showPlugins();
        PrometheusConfig.write(sandbox, folder);
    }

    @AfterEach
    void stop() throws InterruptedException {
        for (Process program : programs.values()) {
            program.destroyForcibly().waitFor();
        }
        sandbox.close();
    }

    private boolean ready() {
        try {
            sandbox.checkPrograms();
            return sandbox.ready(1);
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whoTrainsWithOthersIsNowhereIdleAndNowhereAtZero() throws Exception {
        String card = ClusterSnapshot.take(sandbox.api())
                .nodes()
                .getFirst()
                .cards()
                .getFirst()
                .uuid();
        for (String name : List.of("alone", "other", "quiet")) {
            create(name, card);
        }
        try (Prometheus prometheus = Prometheus.start(folder);
                Browser browser = Browser.start()) {
            trains("alone", 40);
            Await.until(
                    PATIENCE,
                    "the figure of one is the server's",
                    this::percents,
                    "{alone=40, other=0, quiet=0}"::equals);

            trains("other", 25);
            Await.until(PATIENCE, "of two it is unknown", this::percents, "{alone=-, other=-, quiet=0}"::equals);
            Await.until(
                    PATIENCE,
                    "the round over all nodes knows",
                    () -> json("waste").at("/total/podsIdleUnknown").asInt(),
                    pods -> pods == 2);
            commandLine();
            Await.until(
                    PATIENCE,
                    "Prometheus has the third only",
                    () -> pods(prometheus, "gpushare_container_utilisation_ratio"),
                    List.of("quiet")::equals);
            assertThat(pods(prometheus, "gpushare_container_idle_seconds")).containsExactly("quiet");
            assertThat(pods(prometheus, "gpushare_container_memory_used_bytes"))
                    .containsExactly("alone", "other", "quiet");
            // Of the extender, which is scraped at another time.
            Await.until(
                    PATIENCE,
                    "Prometheus has the extender's sum",
                    () -> prometheus.query("gpushare_cluster_pods_idle_unknown"),
                    sum -> sum.size() == 1 && sum.getFirst().value() == 2);
            page(browser);

            trains("quiet", 5);
            Await.until(PATIENCE, "of three it is unknown", this::percents, "{alone=-, other=-, quiet=-}"::equals);
            Await.until(
                    PATIENCE,
                    "nothing is known of whether any is idle",
                    () -> prometheus.query("gpushare_cluster_pods_idle").isEmpty()
                            && json("waste").at("/total/podsIdle").isMissingNode(),
                    missing -> missing);
            assertThat(new KubectlGpushare(folder).print("waste")).containsPattern("\\n {2}idle +- ");

            end("alone");
            end("quiet");
            Await.until(PATIENCE, "one trains on alone", this::percents, "{alone=0, other=25, quiet=0}"::equals);
            assertThat(prometheus.firing()).isEqualTo(Set.of());
        }
    }

    private void commandLine() throws Exception {
        String top = new KubectlGpushare(folder).print("top", "pods", "-A");
        System.out.println(top);
        assertThat(top.lines().map(line -> line.replaceAll(" +", " ")))
                .contains(
                        "default alone node-a 0 4 GiB mps, 28% of the cores 1000 MiB -",
                        "default other node-a 0 4 GiB mps, 28% of the cores 1000 MiB -",
                        "default quiet node-a 0 4 GiB mps, 28% of the cores 0 MiB 0%",
                        "The utilization of 2 pods is unknown. " + REASON);
        for (JsonNode pod : json("top", "pods", "-A").path("pods")) {
            boolean trains = !pod.path("name").asText().equals("quiet");
            assertThat(pod.has("utilizationPercent")).isNotEqualTo(trains);
            assertThat(pod.has("idleSeconds")).isNotEqualTo(trains);
            assertThat(pod.path("utilizationUnknown").asText()).isEqualTo(trains ? REASON : "");
        }
        assertThat(new KubectlGpushare(folder).print("top"))
                .as("the figure of the card")
                .contains(" 65% ");
        String waste = new KubectlGpushare(folder).print("waste");
        System.out.println(waste);
        assertThat(waste)
                .contains("Idle or not is unknown of 2 pods; 'kubectl gpushare top pods -A' shows why.")
                .doesNotContain("idle for");
        assertThat(json("waste").path("pods")).noneMatch(pod -> pod.has("idle"));
    }

    private void page(Browser browser) throws Exception {
        browser.look(1440, 900, false);
        browser.open(sandbox.apiServer().resolve(PAGE).toString());
        browser.await("document.querySelector('.f-idle .note')?.innerText === 'of 2 pods'", PATIENCE);
        assertThat(browser.value("document.querySelector('.f-idle dd').innerText", String.class))
                .isEqualTo("unknown");
        assertThat(browser.value("document.querySelector('#waste').innerText", String.class))
                .contains("allocated and unused, idle or not is unknown of 2 pods");
        browser.shoot(SCREENSHOTS.resolve("unknown-use.png"));
        assertThat(browser.axe()).isEmpty();
        browser.run("document.querySelector('[data-node=node-a]').click()");
        browser.await("document.querySelector('#more [data-pod=alone]')", PATIENCE);
        assertThat(browser.texts("[...document.querySelectorAll('#more tr:has([data-pod])')].map(e => e.innerText)"))
                .contains(
                        "default\talone\t4 GiB\t28%\t1000 MiB\tunknown\t",
                        "default\tother\t4 GiB\t28%\t1000 MiB\tunknown\t", "default\tquiet\t4 GiB\t28%\t0 MiB\t0%\t");
        assertThat(browser.value("document.querySelector('#more').innerText", String.class))
                .containsOnlyOnce("Utilization unknown: " + REASON);
        browser.shoot(SCREENSHOTS.resolve("unknown-use-node.png"));
        assertThat(browser.axe()).isEmpty();
        browser.run("document.querySelector('#more [data-pod=alone]').click()");
        browser.await("document.querySelector('#more').innerText.includes('unknown. " + REASON + "')", PATIENCE);
        browser.shoot(SCREENSHOTS.resolve("unknown-use-pod.png"));
        assertThat(browser.axe()).isEmpty();
    }

    private void create(String name, String card) throws Exception {
        ObjectNode pod = PodSpec.sharing(name, 600, 4).document();
        pod.withObject("/metadata/annotations").put("gpushare.io/select", "uuid = " + card);
        WorkloadRun.require(sandbox.api().post(WorkloadRun.PODS, pod));
        Await.until(
                PATIENCE,
                name + " has started",
                () -> running(name),
                placed -> placed.pod().phase().equals("Running")
                        && GreedyTenant.started(sandbox, placed).isPresent());
    }

    private Placed running(String name) {
        try {
            return ClusterSnapshot.take(sandbox.api()).pod(name).orElseThrow();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Starts a program of the pod that computes so many percent of the time. */
    private void trains(String name, int percent) throws IOException {
        Path output = Files.createTempFile(folder, name, ".out");
        programs.put(
                name,
                GreedyTenant.start(
                        sandbox,
                        running(name),
                        Map.of("GPUSHARE_SIMULATED_UTILISATION", String.valueOf(percent)),
                        output,
                        "1000"));
    }

    private void end(String name) throws InterruptedException {
        Objects.requireNonNull(programs.get(name)).destroyForcibly().waitFor();
    }

    /** The utilization of each pod by the command line; a dash where it is unknown. */
    private String percents() {
        Map<String, String> percents = new TreeMap<>();
        for (JsonNode pod : json("top", "pods", "-A").path("pods")) {
            percents.put(
                    pod.path("name").asText(), pod.path("utilizationPercent").asText("-"));
        }
        return percents.toString();
    }

    private static List<String> pods(Prometheus prometheus, String metric) {
        return prometheus.query(metric).stream()
                .map(sample -> sample.labels().path("pod").asText())
                .sorted()
                .toList();
    }

    private JsonNode json(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add("-ojson");
        try {
            return new ObjectMapper().readTree(new KubectlGpushare(folder).print(all.toArray(String[]::new)));
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
