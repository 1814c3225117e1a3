package io.gpushare.e2e.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.sandbox.view.KubectlGpushare;
import io.gpushare.simulated.pages.MetricTable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real Prometheus scrapes the sandbox with the configuration of deploy/monitoring. Every query of the dashboards and
 * of the rules returns something, and every alert fires under its condition; rules-test.yaml tests the alerts' delays.
 */
class MonitoringIT {
    /** Of MPS, the driver's limits, compute shares and claims, which these nodes do not have. */
    private static final Set<String> OPTIONAL = Set.of(
            "gpushare_card_cores_allocated_percent",
            "gpushare_card_mps_phase",
            "gpushare_card_mps_clients",
            "gpushare_card_mps_failures",
            "gpushare_card_mps_process_limit_bytes",
            "gpushare_containers_without_claim",
            "gpushare_plugin_claims_refused_total",
            "gpushare_plugin_isolation_repairs_total");

    private static final Path ROOT = Path.of(System.getProperty("gpushare.root", ".."));
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    /** Alerts whose condition takes longer than a test: they must not fire, and their series must exist. */
    private static final Set<String> NOT_HERE = Set.of(
            "GpuShareLedgerStale",
            "GpuShareClaimsBehind",
            "GpuShareLeaseNotRenewed",
            "GpuShareDifferencesStay",
            "GpuShareNoCards",
            "GpuShareIsolationMissing");

    /** Alerts on optional metrics; rules-test.yaml tests them. */
    private static final Set<String> OF_MPS = Set.of("GpuShareMpsFailed", "GpuShareMpsClients");

    private static final Set<String> BY_FAULTS = Set.of(
            "GpuShareCardUnhealthy",
            "GpuShareXidError",
            "GpuShareOverUse",
            "GpuShareUseWithoutAllocation",
            "GpuShareCardOverAllocated",
            "GpuShareWaitingBesideFreeMemory",
            "GpuShareWaitingBesideRoom",
            "GpuShareDifferencesMended");

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path folder;

    private SandboxCluster sandbox;
    private Prometheus prometheus;

    @BeforeEach
    void start() throws Exception {
        Prometheus.requireInstalled();
        sandbox = new SandboxCluster(ROOT, folder);
        AlertConditions.start(sandbox);
        sandbox.showPlugins();
        PrometheusConfig.write(sandbox, folder);
        prometheus = Prometheus.start(folder);
        Await.until(
                PATIENCE,
                "all three programs are scraped",
                prometheus::reached,
                reached -> reached.equals(sandbox.metrics().values().stream()
                        .map(URI::toString)
                        .sorted()
                        .toList()));
    }

    @AfterEach
    void stop() {
        if (prometheus != null) {
            prometheus.close();
        }
        if (sandbox != null) {
            sandbox.close();
        }
    }

    @Test
    void everyQueryAnswersAndEveryAlertFiresWhenItShould() throws Exception {
        // Before the first scrape Prometheus has no extender that is up.
        Await.until(PATIENCE, "no alert fires", prometheus::firing, Set::isEmpty);
        String card = new AlertConditions(sandbox).make();
        Set<String> firing = Await.until(
                PATIENCE, "alerts fire: " + BY_FAULTS, prometheus::firing, now -> now.containsAll(BY_FAULTS));
        assertThat(firing).isEqualTo(new TreeSet<>(BY_FAULTS));
        // No new pod gets that of the pod over its limit, and of the process outside of pods.
        Await.until(
                PATIENCE,
                "the list shows memory that is in use and not allocated",
                this::list,
                text -> text.contains("node-a GPU" + AlertConditions.FOREIGN + ": ")
                        && text.contains(" GiB in use that is not allocated"));
        checkMetrics();
        // Some panels count full minutes.
        Await.until(
                PATIENCE,
                "a minute has begun since the first records",
                () -> prometheus.query("count_over_time(namespace:gpushare_container_memory_used_bytes:sum[10m:1m])"),
                samples -> !samples.isEmpty());
        int queries = askDashboards(card);
        int rules = askRules();

        sandbox.stop("device-plugin of node-b");
        sandbox.stop("scheduler-extender");
        Await.until(
                PATIENCE,
                "alerts report the loss of both programs",
                prometheus::firing,
                now -> now.containsAll(List.of("GpuSharePluginDown", "GpuShareNoLeader")));
        System.out.printf(
                "Prometheus: %d queries of %d dashboards and %d rules answered, %d alerts fired%n",
                queries, Dashboards.read().all().size(), rules, BY_FAULTS.size() + 2);
    }

    private String list() {
        try {
            return new KubectlGpushare(folder).print();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * Runs {@code promtool check metrics} for each program; together they expose all documented metrics but optional
     * ones. What is unknown is absent: a plugin that answered the last round too late is asked again later.
     */
    private void checkMetrics() throws Exception {
        Set<String> expected = new TreeSet<>(MetricTable.all().keySet());
        expected.removeAll(OPTIONAL);
        Await.until(
                PATIENCE,
                "exposed are those of deploy/docs/reference",
                () -> difference(expected, named(exposed().values())),
                Set::isEmpty);
        for (Map.Entry<String, String> program : exposed().entrySet()) {
            assertThat(MetricTable.differences(program.getValue())).isEmpty();
            Path file = Files.writeString(folder.resolve("metrics.txt"), program.getValue());
            assertThat(Prometheus.promtool(folder, file, "check", "metrics")).isEmpty();
            System.out.printf(
                    "promtool check metrics: nothing to say about %d lines of %s%n",
                    program.getValue().lines().count(), program.getKey());
        }
    }

    /** What is in one of them only. */
    private static Set<String> difference(Set<String> one, Set<String> other) {
        Set<String> all = new TreeSet<>(one);
        all.addAll(other);
        all.removeIf(each -> one.contains(each) && other.contains(each));
        return all;
    }

    private static Set<String> named(Collection<String> texts) {
        return new TreeSet<>(MonitoringTest.named("(?<=# TYPE )\\w+", String.join("\n", texts)));
    }

    /** The text of each program's metrics. */
    private Map<String, String> exposed() {
        Map<String, String> texts = new TreeMap<>();
        sandbox.metrics().forEach((program, address) -> {
            try (InputStream body = address.toURL().openStream()) {
                texts.put(program, new String(body.readAllBytes(), StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        return texts;
    }

    private int askDashboards(String card) throws IOException {
        Map<String, String> values = Map.of(
                "__rate_interval",
                "2m",
                "__range",
                "10m",
                "model",
                ".*",
                "node",
                AlertConditions.A.name(),
                "card",
                card,
                "namespace",
                ".*",
                "pod",
                ".*");
        List<String> silent = new ArrayList<>();
        int evaluated = 0;
        for (Dashboards.Dashboard dashboard : Dashboards.read().all()) {
            for (JsonNode variable : dashboard.variables()) {
                if (variable.path("type").asText().equals("query")) {
                    evaluated++;
                    Matcher query = Pattern.compile("label_values\\((.*), (\\w+)\\)")
                            .matcher(substituted(
                                    variable.path("query").path("query").asText(), values));
                    assertThat(query.matches()).isTrue();
                    if (prometheus.values(query.group(2), query.group(1)).isEmpty()) {
                        silent.add(dashboard.file() + ": variable "
                                + variable.path("name").asText());
                    }
                }
            }
            for (Dashboards.Query query : dashboard.queries()) {
                evaluated++;
                String expression = substituted(query.expression(), values);
                if (prometheus.query(expression).stream().allMatch(sample -> Double.isNaN(sample.value()))) {
                    silent.add(query.where() + ": " + expression);
                }
            }
        }
        assertThat(silent).as("queries without a result").isEmpty();
        return evaluated;
    }

    private static String substituted(String expression, Map<String, String> values) {
        String substituted = expression;
        for (Map.Entry<String, String> value : values.entrySet()) {
            substituted = substituted.replace("$" + value.getKey(), value.getValue());
        }
        assertThat(substituted).doesNotContain("$");
        return substituted;
    }

    private int askRules() {
        List<JsonNode> rules = prometheus.rules();
        Set<String> known = new TreeSet<>(NOT_HERE);
        known.addAll(OF_MPS);
        known.addAll(BY_FAULTS);
        known.addAll(List.of("GpuSharePluginDown", "GpuShareNoLeader"));
        for (JsonNode rule : rules) {
            String name = rule.path("name").asText();
            assertThat(rule.path("health").asText()).as(name).isEqualTo("ok");
            if (rule.path("type").asText().equals("recording")) {
                assertThat(prometheus.query(name)).as(name).isNotEmpty();
            } else {
                assertThat(known).contains(name);
            }
            if (NOT_HERE.contains(name)) {
                String looked = rule.path("query").asText().replaceFirst(" (>|==) [0-9]+$", "");
                assertThat(prometheus.query(looked)).as(looked).isNotEmpty();
            }
        }
        return rules.size();
    }
}
