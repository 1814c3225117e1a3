package io.gpushare.e2e.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.sandbox.Prometheus.Sample;
import io.gpushare.e2e.sandbox.view.Browser;
import io.gpushare.e2e.sandbox.view.KubectlGpushare;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** What is wasted in one running sandbox, by the page, the command line and Prometheus: the same pods and sums. */
class WasteIT {
    private static final Path ROOT =
            Path.of(System.getProperty("gpushare.root", "..")).toAbsolutePath().normalize();
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final String GPUSHARE_PAGE =
            "api/v1/namespaces/kube-system/services/gpushare-schd-extender:http/proxy/ui/";

    /** The figures of the report, and the metrics that have the same. */
    private static final Map<String, String> SUMS = new TreeMap<>(Map.of(
            "allocatedBytes", "sum(gpushare_cluster_memory_allocated_bytes)",
            "measuredBytes", "gpushare_cluster_memory_measured_bytes",
            "usedBytes", "gpushare_cluster_memory_used_bytes",
            "unusedBytes", "gpushare_cluster_memory_unused_bytes",
            "overBytes", "gpushare_cluster_memory_over_limit_bytes",
            "idleBytes", "gpushare_cluster_memory_idle_bytes",
            "podsOver", "gpushare_cluster_pods_over_limit",
            "podsIdle", "gpushare_cluster_pods_idle"));

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path folder;

    private SandboxCluster sandbox;

    @BeforeEach
    void create() throws IOException {
        Prometheus.requireInstalled();
        sandbox = new SandboxCluster(ROOT, folder);
    }

    @AfterEach
    void stop() {
        sandbox.close();
    }

    @Test
    void pageCommandLineAndPrometheusNameTheSamePodsAndSums() throws Exception {
        AlertConditions.start(sandbox);
        sandbox.showPlugins();
        new AlertConditions(sandbox).use();
        PrometheusConfig.write(sandbox, folder);
        try (Prometheus prometheus = Prometheus.start(folder);
                Browser browser = Browser.start()) {
            browser.look(1440, 900, false);
            browser.open(sandbox.apiServer().resolve("/" + GPUSHARE_PAGE).toString());
            String sums = Await.until(
                    PATIENCE,
                    "all three have the sums of one over its limit",
                    () -> sums(prometheus),
                    text -> text.startsWith("{") && text.contains("podsOver=1.0"));
            System.out.println("By the command line and by Prometheus: " + sums);
            List<String> names = List.of("default/greedy", "default/modest", "default/train");
            assertThat(namedByCommandLine()).containsExactlyInAnyOrderElementsOf(names);
            // It reads the plugins and the extender at different times.
            Await.until(
                    PATIENCE,
                    "Prometheus names the same pods",
                    () -> namedByPrometheus(prometheus).stream().sorted().toList(),
                    names::equals);
            page(browser, names);
        }
    }

    /** The sums of the command line, if Prometheus has the same; otherwise how they differ. */
    private String sums(Prometheus prometheus) {
        JsonNode total = report().path("total");
        Map<String, Double> printed = new TreeMap<>();
        Map<String, Double> scraped = new TreeMap<>();
        SUMS.forEach((field, query) -> {
            printed.put(field, total.path(field).asDouble(-1));
            scraped.put(
                    field,
                    prometheus.query(query).stream()
                            .mapToDouble(Sample::value)
                            .findFirst()
                            .orElse(-2));
        });
        return printed.equals(scraped) ? printed.toString() : "differ: " + printed + " and " + scraped;
    }

    private List<String> namedByCommandLine() {
        return report().path("pods").valueStream().map(WasteIT::name).toList();
    }

    /** Pods that use less or more than is allocated to them, by the metrics of the device plugins. */
    private static List<String> namedByPrometheus(Prometheus prometheus) {
        String of = "sum by (namespace, pod) (gpushare_container_memory_";
        return prometheus.query(of + "allocated_bytes) != " + of + "used_bytes)").stream()
                .map(sample -> sample.labels().path("namespace").asText() + "/"
                        + sample.labels().path("pod").asText())
                .toList();
    }

    private void page(Browser browser, List<String> names) throws Exception {
        JsonNode total = report().path("total");
        Map<String, String> figures =
                Map.of("used", "usedBytes", "allocated, unused", "unusedBytes", "over its limit", "overBytes");
        for (Map.Entry<String, String> each : figures.entrySet()) {
            browser.await(
                    "[...document.querySelectorAll('.figures > div')].some(e => e.querySelector('dt').textContent === '"
                            + each.getKey() + "' && e.querySelector('dd').textContent === '"
                            + size(total.path(each.getValue()).asLong()) + "')",
                    PATIENCE);
        }
        browser.await("document.querySelector('#waste details')", PATIENCE);
        browser.run("document.querySelector('#waste details').open = true");
        browser.run("[...document.querySelectorAll('.tabs button')].find(e => e.textContent === 'Pods').click()");
        browser.await("document.querySelectorAll('#waste tbody tr').length === " + names.size(), PATIENCE);
        assertThat(browser.texts("[...document.querySelectorAll('#waste tbody th')].map(e => e.innerText)"))
                .containsExactlyInAnyOrderElementsOf(names);
        assertThat(browser.texts("[...document.querySelectorAll('#waste tbody tr')].map(e => [...e.children]"
                        + ".map(cell => cell.innerText).slice(0, 4).join(' '))"))
                .as("names, allocated, used and unused memory as the command line prints them")
                .containsExactlyInAnyOrderElementsOf(report().path("pods")
                        .valueStream()
                        .map(pod -> String.join(
                                " ",
                                name(pod),
                                size(pod.path("allocatedBytes").asLong()),
                                size(pod.path("usedBytes").asLong()),
                                size(Math.max(
                                        0,
                                        pod.path("allocatedBytes").asLong()
                                                - pod.path("usedBytes").asLong()))))
                        .toList());
        String printed = new KubectlGpushare(folder).print("waste");
        System.out.println(printed);
        for (String figure : figures.values()) {
            assertThat(printed).contains(" " + size(total.path(figure).asLong()));
        }
    }

    private static String name(JsonNode pod) {
        return pod.path("namespace").asText() + "/" + pod.path("name").asText();
    }

    /** As both write it, below 10,000 GiB. */
    private static String size(long bytes) {
        long mib = bytes >> 20;
        return mib < 1024
                ? mib + " MiB"
                : mib % 1024 == 0 ? mib / 1024 + " GiB" : String.format(Locale.ROOT, "%.1f GiB", mib / 1024.0);
    }

    private JsonNode report() {
        try {
            return new ObjectMapper().readTree(new KubectlGpushare(folder).print("waste", "-ojson"));
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
