package io.gpushare.e2e.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.sandbox.ClusterSnapshot.Placed;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.PodDocument;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.yaml.snakeyaml.Yaml;

/**
 * A real Prometheus scrapes the sandbox as deploy/monitoring says, and every query of the dashboards and of the rules is put
 * to it. Of the configuration only the times and the finding of the pods are others; what it does with what was found is
 * the same. Alerts fire without their delays here: rules-test.yaml tests those.
 */
class MonitoringIT {
    private static final Path ROOT = Path.of(System.getProperty("gpushare.root", ".."));
    private static final Path MONITORING = ROOT.resolve("deploy/monitoring");
    private static final String PODS = "/api/v1/namespaces/default/pods";
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int LONG = 900;
    private static final SandboxNode A = new SandboxNode("node-a", List.of("kind=T4 memory=15GiB", "kind=T4 memory=15GiB"));
    private static final SandboxNode B = new SandboxNode("node-b", List.of("kind=A10 memory=24GiB", "kind=L40S memory=48GiB"));
    /** Alerts whose condition takes longer than a test: they must be silent, and what they look at there. */
    private static final Set<String> NOT_HERE = Set.of("GpuShareLedgerStale", "GpuShareDifferencesStay");

    private static final Set<String> BY_FAULTS = Set.of(
            "GpuShareCardUnhealthy",
            "GpuShareXidError",
            "GpuShareOverUse",
            "GpuShareCardOverAllocated",
            "GpuShareWaitingBesideFreeMemory",
            "GpuShareWaitingBesideRoom",
            "GpuShareDifferencesMended");

    private Path folder;
    private SandboxCluster sandbox;
    private Prometheus prometheus;

    @BeforeEach
    void start() throws Exception {
        assumeThat(Prometheus.installed()).as("prometheus is installed").isTrue();
        folder = Files.createTempDirectory(Path.of("/tmp"), "gpushare-");
        sandbox = new SandboxCluster(ROOT, folder, 0);
        sandbox.start(List.of(A, B));
        Await.until(PATIENCE, "both nodes offer their cards", () -> ready(), ready -> ready);
        configure();
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
    @Timeout(value = 400, unit = TimeUnit.SECONDS)
    void everyQueryAnswersAndEveryAlertFiresWhenItShould() throws Exception {
        // Before its first scrape Prometheus knows of no extender that answers.
        Await.until(PATIENCE, "no alert fires", prometheus::firing, Set::isEmpty);
        String card = makeTrouble();
        Set<String> firing = Await.until(
                PATIENCE, "alerts fire: " + BY_FAULTS, prometheus::firing, now -> now.containsAll(BY_FAULTS));
        assertThat(firing).isEqualTo(new TreeSet<>(BY_FAULTS));
        checkMetrics();
        int queries = askDashboards(card);
        int rules = askRules();

        sandbox.stop("device-plugin of node-b");
        sandbox.stop("scheduler-extender");
        Await.until(
                PATIENCE,
                "the loss of the programs is told",
                prometheus::firing,
                now -> now.containsAll(List.of("GpuSharePluginDown", "GpuShareNoLeader")));
        System.out.printf(
                "Prometheus: %d queries of %d dashboards and %d rules answered, %d alerts fired%n",
                queries, Dashboards.read().all().size(), rules, BY_FAULTS.size() + 2);
    }

    private boolean ready() {
        try {
            sandbox.checkPrograms();
            return sandbox.ready(2);
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    // ---- what Prometheus is told

    /** The documented configuration, with the pods of the sandbox as if Kubernetes had told of them. */
    private void configure() throws Exception {
        Map<String, Object> configuration;
        try (InputStream text = Files.newInputStream(MONITORING.resolve("prometheus.yaml"))) {
            configuration = new Yaml().load(text);
        }
        configuration.put("global", Map.of("scrape_interval", "1s", "evaluation_interval", "1s"));
        @SuppressWarnings("unchecked")
        List<Map<String, Object>> jobs =
                (List<Map<String, Object>>) Objects.requireNonNull(configuration.get("scrape_configs"));
        for (Map<String, Object> job : jobs) {
            assertThat(job.remove("kubernetes_sd_configs")).isNotNull();
            boolean plugin = "gpushare-device-plugin".equals(job.get("job_name"));
            List<Object> targets = new ArrayList<>();
            sandbox.metrics().forEach((name, uri) -> {
                if (plugin != name.equals("extender")) {
                    targets.add(target(uri, plugin ? "metrics" : "http", name));
                    targets.add(target(uri, "another-port", name));
                }
            });
            job.put("static_configs", targets);
        }
        Files.writeString(folder.resolve("prometheus.yaml"), new Yaml().dump(configuration));
        String rules = Files.readString(MONITORING.resolve("rules.yaml"));
        Files.writeString(folder.resolve("rules.yaml"), rules.replaceAll("(?m)^ *for: .*\n", ""));
        Prometheus.promtool(folder, Path.of("/dev/null"), "check", "config", "prometheus.yaml");
    }

    private static Map<String, Object> target(URI uri, String port, String name) {
        Map<String, String> found = new LinkedHashMap<>();
        found.put("__meta_kubernetes_pod_container_port_name", port);
        found.put("__meta_kubernetes_pod_name", name);
        found.put("__meta_kubernetes_pod_node_name", name);
        return Map.of("targets", List.of(uri.getAuthority()), "labels", found);
    }

    // ---- trouble

    /** Makes what each alert waits for; the card of a container that uses too much of it. */
    private String makeTrouble() throws Exception {
        create(PodSpec.sharing("greedy", LONG, 10).wishing(1, "T4"));
        create(PodSpec.sharing("modest", LONG, 10).wishing(1, "T4"));
        create(PodSpec.whole("train", LONG, 1).wishing(1, "L40S"));
        Placed greedy = running("greedy");
        Placed modest = running("modest");
        running("train");
        String card = greedy.shares().getFirst().card();
        create(PodSpec.sharing("in-pieces", LONG, 8).wishing(1, "T4"));
        roomBesideAnotherScheduler();
        overAllocate();
        // Bound past the scheduler, where no card has so much: its Allocate is refused.
        ObjectNode forced = PodSpec.sharing("forced", LONG, 8).document();
        forced.withObject("/spec").put("nodeName", A.name());
        WorkloadRun.require(sandbox.api().post(PODS, forced));
        // A body that is none, so that there is a failed request.
        try (ApiClient extender = new ApiClient(sandbox.extender())) {
            extender.post("/gpushare-scheduler/filter", ApiClient.document().put("Pod", 1));
        }
        process(4711, greedy);
        process(4712, modest);
        replaceCards(
                A,
                "card kind=T4 memory=15GiB xid=13#1 utilisation=70/20\ncard kind=T4 memory=15GiB xid=13#1\n"
                        + "process pid=4711 card=" + index(card) + " memory=12GiB utilisation=60\n"
                        + "process pid=4712 card=" + (1 - index(card)) + " memory=3GiB utilisation=5\n");
        replaceCards(B, "card kind=A10 memory=24GiB lost\ncard kind=L40S memory=48GiB xid=48#1\n");
        // Somebody writes another card on a pod than it has.
        String written = modest.pod().annotation(ClusterSnapshot.ALLOCATION);
        ObjectNode wrong = ApiClient.document();
        wrong.withObject("/metadata/annotations")
                .put(
                        ClusterSnapshot.ALLOCATION,
                        written.replace(modest.shares().getFirst().card(), card));
        WorkloadRun.require(sandbox.api().patch(PODS + "/modest", wrong));
        return card;
    }

    private void create(PodSpec order) throws Exception {
        WorkloadRun.require(sandbox.api().post(PODS, order.document()));
    }

    private Placed running(String name) {
        return Await.until(
                PATIENCE,
                name + " runs",
                () -> placed(name),
                placed -> placed.pod().phase().equals("Running"));
    }

    private Placed placed(String name) {
        try {
            return ClusterSnapshot.take(sandbox.api()).pod(name).orElseThrow();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private int index(String card) throws Exception {
        return ClusterSnapshot.take(sandbox.api()).nodes().stream()
                .flatMap(node -> node.cards().stream())
                .filter(each -> each.uuid().equals(card))
                .findFirst()
                .orElseThrow()
                .index();
    }

    /** A pod for which there is room, and of which another scheduler says that it found no node. */
    private void roomBesideAnotherScheduler() throws Exception {
        ObjectNode pod = PodSpec.sharing("beside-room", LONG, 2).document();
        pod.withObject("/spec").put("schedulerName", "another");
        WorkloadRun.require(sandbox.api().post(PODS, pod));
        ObjectNode status = ApiClient.document();
        status.withObject("/status")
                .withArrayProperty("conditions")
                .addObject()
                .put("type", "PodScheduled")
                .put("status", "False")
                .put("reason", "Unschedulable");
        WorkloadRun.require(sandbox.api().patch(PODS + "/beside-room/status", status));
    }

    /** A node without a kubelet, on whose one card of 4 units two pods have 3 each by their annotations. */
    private void overAllocate() throws Exception {
        ObjectNode node =
                ApiClient.document("{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"node-x\"}}");
        node.withObject("/metadata/annotations")
                .put(
                        ClusterSnapshot.INVENTORY,
                        "{\"version\":1,\"unitMiB\":1024,\"cards\":[{\"uuid\":\"GPU-x\",\"index\":0,\"minor\":0,"
                                + "\"model\":\"X\",\"memoryMiB\":4096}]}");
        WorkloadRun.require(sandbox.api().post("/api/v1/nodes", node));
        for (String name : List.of("x-1", "x-2")) {
            ObjectNode pod = PodSpec.sharing(name, LONG, 3).document();
            pod.withObject("/spec").put("nodeName", "node-x");
            pod.withObject("/metadata/annotations")
                    .put(
                            ClusterSnapshot.ALLOCATION,
                            "{\"version\":1,\"unitMiB\":1024,\"containers\":[{\"name\":\"main\",\"memory\":{\"GPU-x\":3}}]}");
            WorkloadRun.require(sandbox.api().post(PODS, pod));
        }
    }

    /** A process of that pod's container, as the node's proc file system would show it. */
    private void process(int pid, Placed placed) throws Exception {
        PodDocument pod = placed.pod();
        String id = pod.document()
                .path("status")
                .path("containerStatuses")
                .get(0)
                .path("containerID")
                .asText()
                .replace("containerd://", "");
        Files.writeString(
                Files.createDirectories(sandbox.proc().resolve(String.valueOf(pid)))
                        .resolve("cgroup"),
                "0::/kubepods.slice/kubepods-pod" + pod.uid().replace('-', '_') + ".slice/cri-containerd-" + id
                        + ".scope\n");
    }

    private void replaceCards(SandboxNode machine, String cards) throws IOException {
        Path file = sandbox.cards(machine.name());
        String driver = machine.cardsFile().lines().findFirst().orElseThrow();
        Path next = Files.writeString(file.resolveSibling(machine.name() + ".next"), driver + "\n" + cards);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    // ---- what is asked

    /** As {@code curl …/metrics | promtool check metrics} for each program; together they tell all that is documented. */
    private void checkMetrics() throws Exception {
        Set<String> told = new TreeSet<>();
        for (Map.Entry<String, URI> program : sandbox.metrics().entrySet()) {
            String text;
            try (InputStream body = program.getValue().toURL().openStream()) {
                text = new String(body.readAllBytes(), StandardCharsets.UTF_8);
            }
            Path file = Files.writeString(folder.resolve("metrics.txt"), text);
            assertThat(Prometheus.promtool(folder, file, "check", "metrics")).isEmpty();
            told.addAll(MonitoringTest.named("(?<=# TYPE )\\w+", text));
            System.out.printf(
                    "promtool check metrics: nothing to say about %d lines of %s%n",
                    text.lines().count(), program.getKey());
        }
        assertThat(told).isEqualTo(MonitoringTest.documented());
    }

    private int askDashboards(String card) throws IOException {
        Map<String, String> values = Map.of(
                "__rate_interval", "2m", "model", ".*", "node", A.name(), "card", card, "namespace", ".*", "pod", ".*");
        List<String> silent = new ArrayList<>();
        int asked = 0;
        for (Dashboards.Dashboard dashboard : Dashboards.read().all()) {
            for (JsonNode variable : dashboard.variables()) {
                if (variable.path("type").asText().equals("query")) {
                    asked++;
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
                asked++;
                String expression = substituted(query.expression(), values);
                if (prometheus.query(expression).stream().allMatch(sample -> Double.isNaN(sample.value()))) {
                    silent.add(query.where() + ": " + expression);
                }
            }
        }
        assertThat(silent).as("queries without an answer").isEmpty();
        return asked;
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
                String looked = rule.path("query").asText().replaceFirst(" > [0-9]+$", "");
                assertThat(prometheus.query(looked)).as(looked).isNotEmpty();
            }
        }
        return rules.size();
    }
}
