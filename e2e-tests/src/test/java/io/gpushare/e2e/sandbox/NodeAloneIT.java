package io.gpushare.e2e.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.e2e.sandbox.program.Program;
import io.gpushare.e2e.sandbox.program.SimulatedLibrary;
import io.gpushare.e2e.sandbox.workload.PodSpec;
import io.gpushare.simulated.apiserver.SimulatedApiServer;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.PodDocument;
import io.gpushare.simulated.kubelet.KubeletOptions;
import io.gpushare.simulated.kubelet.PodResourcesReader;
import io.gpushare.simulated.kubelet.SimulatedKubelet;
import io.gpushare.simulated.patience.Patience;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** One node with the real device plugin and the kubelet's rate limit, in a cluster without an extender. */
class NodeAloneIT {
    private static final String PODS = "/api/v1/namespaces/default/pods";
    private static final String ALLOCATION = "gpushare.io/allocation";
    private static final Duration PATIENCE = Duration.ofSeconds(150);
    private static final List<String> CARDS = List.of(
            "GPU-00000000-0000-4000-8000-00000000000a",
            "GPU-00000000-0000-4000-8000-00000000000b",
            "GPU-00000000-0000-4000-8000-00000000000c",
            "GPU-00000000-0000-4000-8000-00000000000d");

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path folder;

    private SimulatedApiServer server;
    private ApiClient api;
    private SimulatedKubelet kubelet;
    private Program plugin;
    private URI metrics;

    @BeforeEach
    void start() throws Exception {
        server = SimulatedApiServer.start();
        api = new ApiClient(server.uri());
        Path directory = folder.resolve("k");
        kubelet = SimulatedKubelet.start(KubeletOptions.of("n", directory), server.uri(), InstantSource.system());
        StringBuilder cards = new StringBuilder("driver version=580.95.05 cuda=13.0\n");
        CARDS.forEach(uuid -> cards.append("card kind=A100-80 memory=80GiB uuid=" + uuid + "\n"));
        Path root = Path.of(System.getProperty("gpushare.root", ".."));
        Path library =
                SimulatedLibrary.copy(root.resolve("nvml-binding/target/simulated-driver"), folder.resolve("driver"));
        Files.writeString(library.resolveSibling("cards"), cards);
        plugin = Program.inThisJvm(
                "device-plugin",
                root.resolve("device-plugin"),
                List.of(
                        "io.gpushare.plugin.PluginMain",
                        "--node-name=n",
                        "--metrics-address=127.0.0.1:0",
                        "--kubeconfig=" + Files.writeString(folder.resolve("kubeconfig"), server.kubeconfig()),
                        "--nvml-library=" + library,
                        "--kubelet-dir=" + directory),
                Map.of(),
                folder.resolve("plugin.log"));
        metrics = URI.create(plugin.logged(Program.METRICS));
        awaitNode();
    }

    @AfterEach
    void end() {
        plugin.close();
        kubelet.close();
        api.close();
        server.close();
    }

    @Test
    void inABurstOf200EqualPodsNoneIsSwappedAndEachIsFoundByPodResources() throws Exception {
        Random random = new Random(7);
        for (int number = 0; number < 200; number++) {
            String card = CARDS.get(random.nextInt(CARDS.size()));
            bound(
                    "p" + number,
                    "{\"version\":1,\"unitMiB\":1024,\"containers\":[{\"name\":\"main\",\"memory\":{\"" + card
                            + "\":1}}]}");
        }
        List<PodDocument> pods = awaitPods(200, pod -> pod.phase().equals("Running"));
        int swaps = 0;
        var allocated = new PodResourcesReader(folder.resolve("k")).devices();
        for (PodDocument pod : pods) {
            String sees = sees(pod);
            Set<String> ids = Objects.requireNonNull(allocated.get(pod.title() + "/main"), pod.name())
                    .getOrDefault(PodSpec.MEMORY, Set.of());
            boolean same = pod.annotation(ALLOCATION).contains(sees)
                    && ids.size() == 1
                    && ids.stream().allMatch(id -> id.startsWith(sees + "::"));
            swaps += same ? 0 : 1;
        }
        List<String> counts = metrics()
                .filter(line -> line.startsWith("gpushare_plugin_containers_identified_total")
                        || line.startsWith("gpushare_plugin_allocations_refused_total"))
                .toList();
        System.out.println("200 equal pods in a burst: " + swaps + " swaps; " + String.join(", ", counts));
        assertThat(swaps).isZero();
        assertThat(counts)
                .contains(
                        "gpushare_plugin_containers_identified_total{way=\"lacks_devices\"} 200.0",
                        "gpushare_plugin_containers_identified_total{way=\"repeated_call\"} 0.0",
                        "gpushare_plugin_containers_identified_total{way=\"demand_only\"} 0.0")
                .filteredOn(line -> line.contains("refused"))
                .isNotEmpty()
                .allMatch(line -> line.endsWith("} 0.0"));
    }

    @Test
    void podsOfAnotherSchedulerArePlacedByTheRulesAndTheirCardsAreWrittenOnThem() throws Exception {
        for (int number = 0; number < 12; number++) {
            bound("q" + number, "");
        }
        List<PodDocument> pods = awaitPods(
                12,
                pod -> pod.phase().equals("Running")
                        && !pod.annotation(ALLOCATION).isEmpty());
        assertThat(pods).allMatch(pod -> pod.annotation(ALLOCATION).contains(sees(pod)));
        assertThat(pods)
                .allMatch(pod -> pod.annotation("ALIYUN_COM_GPU_MEM_ASSIGNED").equals("true"));
    }

    /** The lines of the plugin's metrics. */
    private Stream<String> metrics() throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                            HttpRequest.newBuilder(metrics)
                                    .timeout(Patience.of(Patience.USUAL))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body()
                    .lines();
        }
    }

    private String sees(PodDocument pod) {
        return kubelet.environment(pod.namespace(), pod.name(), "main").getOrDefault("NVIDIA_VISIBLE_DEVICES", "none");
    }

    /** Creates a bound pod of one unit. */
    private void bound(String name, String allocation) throws IOException, InterruptedException {
        ObjectNode pod = PodSpec.sharing(name, 600, 1).document();
        pod.withObject("/spec").put("nodeName", "n");
        if (!allocation.isEmpty()) {
            pod.withObject("/metadata/annotations").put(ALLOCATION, allocation);
        }
        WorkloadRun.require(api.post(PODS, pod));
    }

    private void awaitNode() {
        Patience.await(PATIENCE).until(() -> {
            plugin.checkAlive();
            return api.get("/api/v1/nodes/n")
                    .document()
                    .path("status")
                    .path("allocatable")
                    .path(PodSpec.MEMORY)
                    .asText()
                    .equals("320");
        });
    }

    private List<PodDocument> awaitPods(int count, Predicate<PodDocument> condition) {
        return Patience.await(PATIENCE)
                .until(
                        () -> ClusterSnapshot.take(api).pods().stream()
                                .map(ClusterSnapshot.Placed::pod)
                                .toList(),
                        pods -> pods.stream().filter(condition).count() == count);
    }
}
