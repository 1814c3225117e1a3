package io.gpushare.e2e.sandbox;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.e2e.sandbox.program.Program;
import io.gpushare.e2e.sandbox.program.SimulatedLibrary;
import io.gpushare.e2e.sandbox.workload.PodSpec;
import io.gpushare.simulated.apiserver.SimulatedApiServer;
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
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Cores beside memory on one node with two cards, MPS and the real programs. All pods select card A: the node alone has
 * enough cores for them, the card does not.
 */
class CoresIT {
    private static final String PODS = "/api/v1/namespaces/default/pods";
    private static final String CORES = "aliyun.com/gpu-core.percentage";
    private static final String CORE_RESOURCE = "--core-resource=" + CORES;
    private static final String INSUFFICIENT = "Insufficient GPU cores in one device";
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final String A = "GPU-00000000-0000-4000-8000-00000000000a";
    private static final String B = "GPU-00000000-0000-4000-8000-00000000000b";

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path folder;

    private final Deque<AutoCloseable> running = new ArrayDeque<>();
    private final Path root = Path.of(System.getProperty("gpushare.root", ".."));
    private SimulatedApiServer server;
    private ApiClient api;
    private SimulatedKubelet kubelet;
    private Path cards;

    @BeforeEach
    void start() throws Exception {
        server = keep(SimulatedApiServer.start());
        api = keep(new ApiClient(server.uri()));
        kubelet = keep(SimulatedKubelet.start(
                KubeletOptions.of("n", folder.resolve("k")), server.uri(), InstantSource.system()));
        Path programs = root.resolve("nvml-binding/target/simulated-driver").toAbsolutePath();
        Path driver = folder.resolve("driver");
        Path library = SimulatedLibrary.copy(programs, driver);
        cards = Files.writeString(
                driver.resolve("cards"),
                "driver version=580.95.05 cuda=13.0\ncard kind=A100-80 memory=80GiB uuid=" + A
                        + "\ncard kind=A100-80 memory=80GiB uuid=" + B + "\n");
        String nvml = "--nvml-library=" + library;
        String mps = "--mps-dir=" + folder.resolve("mps");
        program(
                "mps",
                "device-plugin",
                "io.gpushare.mps.SupervisorMain",
                nvml,
                mps,
                "--mps-control-program=" + programs.resolve("mps/nvidia-cuda-mps-control"));
        program(
                "plugin",
                "device-plugin",
                "io.gpushare.plugin.PluginMain",
                "--node-name=n",
                "--kubeconfig=" + kubeconfig(),
                "--kubelet-dir=" + folder.resolve("k"),
                "--isolation=mps",
                CORE_RESOURCE,
                nvml,
                mps);
        await(PATIENCE).until(() -> kubelet.allocatable(CORES) == 200);
    }

    @AfterEach
    void end() throws Exception {
        while (!running.isEmpty()) {
            running.pop().close();
        }
    }

    @Test
    void thirtyAndFortyAndThirtyFitOnOneCardThroughFilterBindAndAllocateAndThirtyOneDoNot() throws Exception {
        Program program = program(
                "extender",
                "scheduler-extender",
                "io.gpushare.extender.program.ExtenderMain",
                "--kubeconfig=" + kubeconfig(),
                "--bind-address=127.0.0.1",
                "--port=0",
                CORE_RESOURCE);
        URI extender = URI.create("http://127.0.0.1:" + program.logged(Program.EXTENDER_PORT));
        ApiClient verbs = keep(new ApiClient(extender));
        await(PATIENCE).ignoreExceptions().until(() -> verbs.get("/readyz").succeeded());
        keep(SimulatedScheduler.start(
                server.uri(),
                new ExtenderConfig(
                        extender.resolve("/gpushare-scheduler"),
                        5,
                        Set.of(PodSpec.MEMORY, PodSpec.CARDS, CORES),
                        Duration.ofSeconds(5)),
                1,
                InstantSource.system()));

        runs(create("thirty", 30, ""), 30);
        runs(create("forty", 40, ""), 40);
        create("too-much", 31, "");
        await(PATIENCE).until(() -> pod("too-much").waitingReason().contains(INSUFFICIENT));
        assertThat(pod("too-much").node()).isEmpty();
        create("rest", 30, "");
        runs("rest", 30);
        for (String name : List.of("thirty", "forty", "rest")) {
            assertThat(pod(name).annotation("gpushare.io/allocation")).contains("\"cores\":{\"" + A + "\":");
        }

        // The next pod gets what an ended one had.
        api.delete(PODS + "/forty", ApiClient.document());
        runs("too-much", 31);
    }

    @Test
    void onANodeAloneAllocateRefusesWhatTheCardCannotGive() throws Exception {
        runs(create("thirty", 30, "n"), 30);
        runs(create("forty", 40, "n"), 40);
        create("too-much", 31, "n");
        await(PATIENCE).until(() -> pod("too-much").phase().equals("Failed"));
        assertThat(pod("too-much").document().path("status").toString()).contains(INSUFFICIENT);
        runs(create("rest", 30, "n"), 30);
        await(PATIENCE)
                .until(() -> pod("rest")
                        .annotation("gpushare.io/allocation")
                        .contains("\"memory\":{\"" + A + "\":2},\"cores\":{\"" + A + "\":30}"));
    }

    /** Creates a pod with 2 GiB and that part of the cores of card A, bound to that node if it names one. */
    private String create(String name, int percent, String node) throws IOException, InterruptedException {
        ObjectNode pod = PodSpec.sharing(name, 600, 2).document();
        ObjectNode limits = (ObjectNode) pod.at("/spec/containers/0/resources/limits");
        limits.put(CORES, String.valueOf(percent));
        pod.withObject("/metadata/annotations").put("gpushare.io/select", "uuid = " + A);
        if (!node.isEmpty()) {
            pod.withObject("/spec").put("nodeName", node);
        }
        WorkloadRun.require(api.post(PODS, pod));
        return name;
    }

    private void runs(String name, int percent) {
        await(PATIENCE).until(() -> pod(name).phase().equals("Running"));
        assertThat(kubelet.environment("default", name, "main"))
                .containsEntry("NVIDIA_VISIBLE_DEVICES", A)
                .containsEntry("CUDA_MPS_PINNED_DEVICE_MEM_LIMIT", "0=2048M")
                .containsEntry("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", String.valueOf(percent));
        assertThat(kubelet.started("default", name, "main")
                        .orElseThrow()
                        .devices()
                        .get(CORES))
                .hasSize(percent)
                .allMatch(id -> id.startsWith(A + "::c"));
    }

    private PodDocument pod(String name) throws IOException, InterruptedException {
        return new PodDocument(api.get(PODS + "/" + name).document());
    }

    private Path kubeconfig() throws IOException {
        return Files.writeString(folder.resolve("kubeconfig"), server.kubeconfig());
    }

    private Program program(String name, String module, String main, String... options) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(main));
        arguments.addAll(List.of(options));
        return keep(Program.inThisJvm(
                name,
                root.resolve(module),
                arguments,
                Map.of("GPUSHARE_SIMULATED_CARDS", cards.toString()),
                folder.resolve(name + ".log")));
    }

    private <T extends AutoCloseable> T keep(T started) {
        running.push(started);
        return started;
    }
}
