package io.gpushare.e2e.sandbox;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.e2e.sandbox.workload.PodSpec;
import io.gpushare.simulated.client.PodDocument;
import io.gpushare.simulated.kubelet.SimulatedKubelet;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Two equal nodes; the device plugin of the one that the policy prefers loses the API server, and its kubelet does not.
 */
class CutOffPluginIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration CUT_OFF = Duration.ofSeconds(60);
    private static final int REPLICAS = 6;
    private static final int UNITS = 4;
    private static final String STALE = "node's device plugin does not renew its Lease";
    private static final int MOST_FAILED = 20;

    private final SandboxCluster sandbox;
    private int created;

    CutOffPluginIT() throws IOException {
        Path root = Path.of(System.getProperty("gpushare.root", ".."));
        sandbox = new SandboxCluster(root, Files.createTempDirectory(Path.of("/tmp"), "gpushare-"));
    }

    @BeforeEach
    void start() throws IOException {
        List<String> cards = List.of("kind=T4 memory=15GiB", "kind=T4 memory=15GiB");
        sandbox.start(List.of(new SandboxNode("node-a", cards), new SandboxNode("node-b", cards)));
        await(PATIENCE).until(() -> sandbox.ready(2));
    }

    @AfterEach
    void stop() {
        sandbox.close();
    }

    @Test
    void fewPodsFailOnItAndTheOthersRunOnTheEqualNode() throws Exception {
        create();
        await(PATIENCE).until(() -> running().size() == 1);
        String node = running().getFirst().node();
        sandbox.cutOffPlugin(node, true);
        // The extender knows it after 40 s; from then on no pod is placed there.
        await(CUT_OFF.multipliedBy(2)).pollInterval(Duration.ofMillis(20)).until(() -> {
            sandbox.checkPrograms();
            replaceFailed();
            return nodes().contains(node + ": " + STALE) && running().size() == REPLICAS;
        });
        long failed = pods().stream().filter(CutOffPluginIT::failed).count();
        System.out.printf(
                "plugin of %s cut off: %d pods failed, %d run%n",
                node, failed, running().size());
        assertThat(failed).isLessThanOrEqualTo(MOST_FAILED);
        assertThat(running()).hasSize(REPLICAS);
        assertThat(running().stream().filter(pod -> pod.node().equals(node))).hasSize(1);
        assertThat(kubelet(node).allocatable(PodSpec.MEMORY))
                .as("the units of the pod that runs there")
                .isEqualTo(UNITS);

        sandbox.cutOffPlugin(node, false);
        await(PATIENCE).untilAsserted(() -> assertThat(nodes()).doesNotContain(STALE));
        assertThat(kubelet(node).allocatable(PodSpec.MEMORY)).isEqualTo(30);
    }

    private SimulatedKubelet kubelet(String node) {
        return Objects.requireNonNull(sandbox.kubelets().get(node));
    }

    /** What {@code kubectl gpushare} shows. */
    private String nodes() throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(sandbox.extender().resolve("/gpushare-scheduler/v1/text/nodes"))
                .build();
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
        }
    }

    /** As a ReplicaSet does: a failed pod does not count, and its replacement is created at once. */
    private void replaceFailed() throws IOException, InterruptedException {
        long alive = pods().stream().filter(pod -> !failed(pod)).count();
        for (; alive < REPLICAS; alive++) {
            create();
        }
    }

    private void create() throws IOException, InterruptedException {
        created++;
        WorkloadRun.require(sandbox.api()
                .post(
                        WorkloadRun.PODS,
                        PodSpec.sharing("replica-" + created, 600, UNITS).document()));
    }

    private static boolean failed(PodDocument pod) {
        return pod.phase().equals("Failed");
    }

    private List<PodDocument> running() throws IOException, InterruptedException {
        return pods().stream().filter(pod -> pod.phase().equals("Running")).toList();
    }

    private List<PodDocument> pods() throws IOException, InterruptedException {
        return ClusterSnapshot.take(sandbox.api()).pods().stream()
                .map(ClusterSnapshot.Placed::pod)
                .toList();
    }
}
