package io.gpushare.e2e.sandbox;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.e2e.sandbox.ClusterSnapshot.Placed;
import io.gpushare.e2e.sandbox.workload.PodSpec;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.kubelet.StartedContainer;
import io.gpushare.simulated.patience.Patience;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Two pods on one card with MPS: the programs of one ask for more memory than it requested and are stopped, those of
 * the other are not harmed.
 */
final class GreedyTenant implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final Duration PERIOD = Duration.ofMillis(100);
    private static final String GREEDY = "greedy";
    private static final String NEIGHBOUR = "neighbour";

    private final SandboxCluster sandbox;
    private final TerminalView screen;
    private final Checks checks;
    private final List<Process> programs = new ArrayList<>();

    GreedyTenant(SandboxCluster sandbox, TerminalView screen, Checks checks) {
        this.sandbox = sandbox;
        this.screen = screen;
        this.checks = checks;
    }

    private interface Condition {
        boolean holds() throws IOException, InterruptedException;
    }

    void run() throws IOException, InterruptedException {
        String card = ClusterSnapshot.take(sandbox.api()).nodes().stream()
                .filter(node -> node.name().equals(SandboxNode.ISOLATED.name()))
                .map(node -> node.cards().getFirst().uuid())
                .findFirst()
                .orElseThrow();
        for (PodSpec pod : List.of(PodSpec.sharing(GREEDY, 600, 2), PodSpec.sharing(NEIGHBOUR, 600, 5))) {
            ObjectNode document = pod.document();
            document.withObject("/metadata/annotations").put("nvidia.com/use-gpuuuid", card);
            WorkloadRun.require(sandbox.api().post(WorkloadRun.PODS, document));
        }
        check(() -> started(GREEDY).isPresent() && started(NEIGHBOUR).isPresent(), "the tenants did not start");
        if (started(GREEDY).isEmpty() || started(NEIGHBOUR).isEmpty()) {
            return;
        }
        Path neighbour = program(NEIGHBOUR, "5000");
        Path first = program(GREEDY, "2048", "1");
        check(() -> printed(first, "ok 2048", "error 2"), "more than 2 GiB were not refused to a pod of 2 GiB");
        check(() -> printed(neighbour, "ok 5000"), "a pod of 5 GiB did not get them");
        Path second = program(GREEDY, "1000");
        check(() -> printed(second, "ok 1000", "lost 810"), "the second program of a pod of 2 GiB was not terminated");
        checks.check(printed(first, "ok 2048", "error 2"), "the first program of the greedy pod was harmed");
        checks.check(printed(neighbour, "ok 5000"), "the neighbour of the greedy pod was harmed");
        screen.line(
                "isolation: a pod of 2 GiB asks for 2 GiB and 1 MiB: out of memory; its second program takes 1000 MiB:"
                        + " terminated; its neighbour keeps 5000 MiB");
    }

    private void check(Condition condition, String failure) throws IOException, InterruptedException {
        Instant deadline = Instant.now().plus(Patience.of(PATIENCE));
        boolean holds = condition.holds();
        while (!holds && Instant.now().isBefore(deadline)) {
            Thread.sleep(PERIOD);
            holds = condition.holds();
        }
        checks.check(holds, failure);
    }

    private Optional<Placed> pod(String name) throws IOException, InterruptedException {
        return ClusterSnapshot.take(sandbox.api()).pod(name);
    }

    private Optional<StartedContainer> started(String name) throws IOException, InterruptedException {
        return pod(name)
                .filter(placed -> placed.pod().phase().equals("Running"))
                .flatMap(placed -> started(sandbox, placed));
    }

    private static boolean printed(Path output, String... lines) throws IOException {
        return Files.readAllLines(output).equals(List.of(lines));
    }

    private Path program(String name, String... arguments) throws IOException, InterruptedException {
        Path output = Files.createTempFile(sandbox.proc(), name, ".out");
        programs.add(start(sandbox, pod(name).orElseThrow(), Map.of(), output, arguments));
        return output;
    }

    /** The only container of that pod, if it has been started. */
    static Optional<StartedContainer> started(SandboxCluster sandbox, Placed placed) {
        return Optional.ofNullable(sandbox.kubelets().get(placed.pod().node()))
                .flatMap(kubelet ->
                        kubelet.started(placed.pod().namespace(), placed.pod().name(), "main"));
    }

    /**
     * Starts a program as one of the pod's container: with its environment, and in its cgroup.
     *
     * @param more variables in addition to those of the container
     */
    static Process start(
            SandboxCluster sandbox, Placed placed, Map<String, String> more, Path output, String... arguments)
            throws IOException {
        StartedContainer container = started(sandbox, placed).orElseThrow();
        Path tenant = sandbox.driver().resolve("mps");
        List<String> command = new ArrayList<>(List.of(tenant.resolve("gpu-eat").toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().putAll(container.environment());
        builder.environment().putAll(more);
        // The container would see this directory at its own path.
        container.mounts().forEach((inside, onHost) -> builder.environment().put("CUDA_MPS_PIPE_DIRECTORY", onHost));
        builder.environment().put("LD_LIBRARY_PATH", tenant.toString());
        builder.environment()
                .put(
                        "GPUSHARE_SIMULATED_CARDS",
                        sandbox.cards(placed.pod().node()).toString());
        Process started = builder.start();
        Path process = Files.createDirectories(sandbox.proc().resolve(String.valueOf(started.pid())));
        Files.writeString(
                process.resolve("stat"), Files.readString(Path.of("/proc", String.valueOf(started.pid()), "stat")));
        String id = placed.pod()
                .document()
                .at("/status/containerStatuses/0/containerID")
                .asText()
                .replace("containerd://", "");
        Files.writeString(
                process.resolve("cgroup"),
                "0::/kubepods/burstable/pod" + placed.pod().uid() + "/" + id + "\n");
        return started;
    }

    /** Ends the programs and deletes the pods. */
    @Override
    public void close() throws IOException {
        try {
            for (Process program : programs) {
                program.destroyForcibly().waitFor();
            }
            for (String name : List.of(GREEDY, NEIGHBOUR)) {
                sandbox.api().delete(WorkloadRun.PODS + "/" + name, ApiClient.document("{\"gracePeriodSeconds\":0}"));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
