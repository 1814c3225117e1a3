package io.gpushare.e2e.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.e2e.sandbox.program.Program;
import io.gpushare.e2e.sandbox.workload.PodSpec;
import io.gpushare.simulated.apiserver.SimulatedApiServer;
import io.gpushare.simulated.apiserver.store.ApiResource;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.PodDocument;
import io.gpushare.simulated.kubelet.KubeletOptions;
import io.gpushare.simulated.kubelet.SimulatedKubelet;
import io.gpushare.simulated.scheduler.ExtenderConfig;
import io.gpushare.simulated.scheduler.SimulatedScheduler;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two nodes in use move from gpushare to this project in the order of deploy/COMING-FROM-GPUSHARE.md, with the real
 * programs and doubles of gpushare's.
 */
class GpushareMigrationIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int UNITS = 15;
    private static final String ALLOCATION = "gpushare.io/allocation";
    private static final String ASSIGNED = "ALIYUN_COM_GPU_MEM_ASSIGNED";

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path folder;

    private final Path root = Path.of(System.getProperty("gpushare.root", ".."));
    private final Deque<AutoCloseable> running = new ArrayDeque<>();
    private final Map<String, SimulatedKubelet> kubelets = new HashMap<>();
    private final Map<String, GpusharePlugin> gpushares = new HashMap<>();
    private SimulatedApiServer server;
    private ApiClient api;
    private CardWatch watch;

    @BeforeEach
    void start() throws Exception {
        server = keep(SimulatedApiServer.start());
        api = keep(new ApiClient(server.uri()));
        for (String node : List.of("n1", "n2")) {
            Path directory = folder.resolve(node);
            kubelets.put(
                    node,
                    keep(SimulatedKubelet.start(
                            KubeletOptions.of(node, directory), server.uri(), InstantSource.system())));
            gpushares.put(node, keep(new GpusharePlugin(node, cards(node), UNITS, directory, api)));
            await(() -> kubelet(node).allocatable(PodSpec.MEMORY) == 2 * UNITS);
        }
        watch = keep(CardWatch.start(api, kubelets, this::cards, UNITS));
    }

    @AfterEach
    void end() throws Exception {
        while (!running.isEmpty()) {
            running.pop().close();
        }
    }

    @Test
    void nodesInUseMoveOneAfterTheOther() throws Exception {
        GpushareExtender extender = keep(new GpushareExtender(api, 2, UNITS));
        SimulatedScheduler scheduler = keep(scheduler(extender.uri(), Set.of(PodSpec.MEMORY)));
        // No two of the first four fit on one card.
        for (int units : List.of(10, 12, 9, 8, 4, 2)) {
            create(PodSpec.sharing("old-" + units, 3600, units));
            awaitPhase("old-" + units, "Running");
        }
        create(PodSpec.sharing("ended", 1, 3));
        awaitPhase("ended", "Succeeded");
        // gpushare's plugin gave the card, and its patch failed.
        annotate("old-4", ASSIGNED, "false");
        // Whole cards wait: no node offers them, and later every card has a pod.
        create(PodSpec.whole("whole-1", 3600, 1));
        create(PodSpec.whole("whole-2", 3600, 1));
        Map<String, String> before = watch.containers();
        assertThat(before).hasSize(6);

        for (String node : List.of("n1", "n2")) {
            move(node);
            // gpushare's extender still binds: to the node of our plugin, and to the other one.
            int more = node.equals("n1") ? 1 : 3;
            create(PodSpec.sharing("between-" + more, 3600, more));
            create(PodSpec.sharing("between-" + (more + 1), 3600, more + 1));
            awaitPhase("between-" + more, "Running");
            awaitPhase("between-" + (more + 1), "Running");
        }

        scheduler.close();
        extender.close();
        URI ours = startExtender();
        keep(scheduler(ours, Set.of(PodSpec.MEMORY, PodSpec.CARDS)));
        create(PodSpec.sharing("too-large", 3600, UNITS));
        create(PodSpec.sharing("new", 3600, 1));
        awaitPhase("new", "Running");
        await(() -> !pod("too-large").waitingReason().isEmpty());
        assertThat(pod("whole-1").phase()).isEqualTo("Pending");
        assertThat(watch.containers()).containsAllEntriesOf(before);

        // The first card without a pod goes to a pod that waits, whole; everything else stays where it is.
        String freed = Objects.requireNonNull(before.get("old-12"));
        List<String> gone = watch.containers().entrySet().stream()
                .filter(entry -> entry.getValue().equals(freed))
                .map(Map.Entry::getKey)
                .toList();
        for (String name : gone) {
            GpushareExtender.send(() -> api.delete(path(name), ApiClient.document()));
        }
        await(() -> watch.containers().containsValue(freed)
                && watch.containers().keySet().stream().noneMatch(gone::contains));
        before.keySet().removeAll(gone);
        assertThat(watch.containers()).containsAllEntriesOf(before);
        assertThat(watch.violations()).isEmpty();
        assertThat(pods()).noneMatch(pod -> pod.phase().equals("Failed"));
    }

    /** Moves the node from gpushare's device plugin to ours. */
    private void move(String node) throws Exception {
        unschedulable(node, true);
        Program plugin = keep(startPlugin(node));
        await(() -> Files.readString(log(node)).contains("another device plugin serves these resources"));
        assertThat(inventory(node)).isEmpty();

        gpushare(node).close();
        await(() -> !inventory(node).isEmpty() && kubelet(node).allocatable(PodSpec.MEMORY) == 2 * UNITS);
        await(() -> pods().stream()
                .filter(pod -> pod.node().equals(node) && pod.phase().equals("Running"))
                .allMatch(pod -> !pod.annotation(ALLOCATION).isEmpty()
                        && pod.annotation(ASSIGNED).equals("true")));
        for (PodDocument pod : pods()) {
            if (pod.node().equals(node) && pod.phase().equals("Running")) {
                assertThat(pod.annotation(ALLOCATION))
                        .contains(Objects.requireNonNull(watch.containers().get(pod.name())));
            }
        }
        assertThat(pod("ended").annotation(ALLOCATION)).isEmpty();
        plugin.checkAlive();
        unschedulable(node, false);
    }

    private Program startPlugin(String node) throws IOException {
        StringBuilder driver = new StringBuilder("driver version=580.95.05 cuda=13.0\n");
        cards(node).forEach(card -> driver.append("card kind=T4 memory=15GiB uuid=" + card + "\n"));
        return Program.start(
                "device-plugin of " + node,
                root.resolve("device-plugin"),
                64,
                List.of(
                        "io.gpushare.plugin.PluginMain",
                        "--node-name=" + node,
                        "--kubeconfig=" + kubeconfig(),
                        "--nvml-library="
                                + root.resolve("nvml-binding/target/simulated-driver/libnvidia-ml.so.1")
                                        .toAbsolutePath(),
                        "--kubelet-dir=" + folder.resolve(node)),
                Map.of(
                        "GPUSHARE_SIMULATED_CARDS",
                        Files.writeString(folder.resolve(node + ".cards"), driver)
                                .toString()),
                log(node));
    }

    private URI startExtender() throws Exception {
        int port = Program.freePort();
        keep(Program.start(
                "scheduler-extender",
                root.resolve("scheduler-extender"),
                96,
                List.of(
                        "io.gpushare.extender.ExtenderMain",
                        "--bind-address=127.0.0.1",
                        "--port=" + port,
                        "--kubeconfig=" + kubeconfig()),
                Map.of(),
                folder.resolve("extender.log")));
        URI uri = URI.create("http://127.0.0.1:" + port);
        try (ApiClient extender = new ApiClient(uri)) {
            Awaitility.await()
                    .atMost(PATIENCE)
                    .ignoreExceptions()
                    .until(() -> extender.get("/readyz").succeeded());
        }
        return uri.resolve("/gpushare-scheduler");
    }

    private SimulatedScheduler scheduler(URI extender, Set<String> managed) {
        return SimulatedScheduler.start(
                server.uri(),
                new ExtenderConfig(extender, 5, managed, Duration.ofSeconds(5)),
                1,
                InstantSource.system());
    }

    private Path kubeconfig() throws IOException {
        return Files.writeString(folder.resolve("kubeconfig"), server.kubeconfig());
    }

    private Path log(String node) {
        return folder.resolve("plugin-" + node + ".log");
    }

    private SimulatedKubelet kubelet(String node) {
        return Objects.requireNonNull(kubelets.get(node));
    }

    private GpusharePlugin gpushare(String node) {
        return Objects.requireNonNull(gpushares.get(node));
    }

    /** The cards of the node in the order of their index. */
    private List<String> cards(String node) {
        return List.of(
                "GPU-00000000-0000-4000-8000-0000000000" + node.charAt(1) + "a",
                "GPU-00000000-0000-4000-8000-0000000000" + node.charAt(1) + "b");
    }

    private void unschedulable(String node, boolean cordoned) {
        server.objects().update(ApiResource.NODES, "", node, document -> {
            document.withObjectProperty("spec").put("unschedulable", cordoned);
            return document;
        });
    }

    private String inventory(String node) {
        return server.objects()
                .get(ApiResource.NODES, "", node)
                .at("/metadata/annotations/gpushare.io~1inventory")
                .asText("");
    }

    private void create(PodSpec spec) {
        GpushareExtender.send(() -> api.post("/api/v1/namespaces/default/pods", spec.document()));
    }

    private void annotate(String pod, String key, String value) {
        ObjectNode patch = ApiClient.document();
        patch.putObject("metadata").putObject("annotations").put(key, value);
        GpushareExtender.send(() -> api.patch(path(pod), patch));
    }

    private static String path(String pod) {
        return "/api/v1/namespaces/default/pods/" + pod;
    }

    private PodDocument pod(String name) {
        return new PodDocument(server.objects().get(ApiResource.PODS, "default", name));
    }

    private List<PodDocument> pods() {
        List<PodDocument> pods = new ArrayList<>();
        server.objects().list(ApiResource.PODS).forEach(pod -> pods.add(new PodDocument(pod)));
        return pods;
    }

    private void awaitPhase(String pod, String phase) {
        await(() -> pod(pod).phase().equals(phase));
    }

    private void await(Callable<Boolean> condition) {
        Awaitility.await().atMost(PATIENCE).until(condition);
    }

    private <T extends AutoCloseable> T keep(T started) {
        running.push(started);
        return started;
    }
}
