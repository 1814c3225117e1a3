package io.gpushare.e2e.sandbox;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.e2e.sandbox.workload.PodSpec;
import io.gpushare.simulated.kubelet.SimulatedKubelet;
import io.gpushare.simulated.patience.Patience;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The real programs on one node of two 15 GiB cards, during disruptions by the kubelet. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DisruptionIT {
    private static final String NODE = "node-a";

    private final SandboxCluster sandbox;

    DisruptionIT() throws IOException {
        Path root = Path.of(System.getProperty("gpushare.root", ".."));
        sandbox = new SandboxCluster(root, Files.createTempDirectory(Path.of("/tmp"), "gpushare-"));
    }

    @BeforeAll
    void start() throws IOException {
        sandbox.start(List.of(new SandboxNode(NODE, List.of("kind=T4 memory=15GiB", "kind=T4 memory=15GiB"))));
        awaitAllOffered();
    }

    @AfterAll
    void stop() {
        sandbox.close();
    }

    @Test
    void thirtyEqualPodsCreatedAtOnceEachGetTheCardOfTheirAnnotation() throws Exception {
        List<PodSpec> burst = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            burst.add(PodSpec.sharing("burst-" + i, 4, 1));
        }
        assertAllHeld(burst);
    }

    @Test
    void afterAKubeletsRestartTheCardsReturnAndPodsRun() throws Exception {
        int before = kubelet().registrations();
        kubelet().restart();
        awaitReturn(before + 2);
        assertAllHeld(List.of(PodSpec.sharing("after-restart", 2, 8), PodSpec.whole("whole-after-restart", 2, 1)));
    }

    @Test
    void afterAStreamIsCutTheDevicesReturnAndPodsRun() throws Exception {
        int before = kubelet().registrations();
        kubelet().cutListAndWatch(PodSpec.MEMORY);
        kubelet().cutListAndWatch(PodSpec.CARDS);
        awaitReturn(before + 2);
        assertAllHeld(List.of(PodSpec.sharing("after-cut", 2, 8), PodSpec.whole("whole-after-cut", 2, 1)));
    }

    private void awaitAllOffered() {
        await(Duration.ofSeconds(60)).until(() -> {
            sandbox.checkPrograms();
            return sandbox.ready(1);
        });
    }

    private void awaitReturn(int registrations) {
        await().untilAsserted(() -> {
            assertThat(kubelet().registrations()).as("registrations").isGreaterThanOrEqualTo(registrations);
            assertThat(kubelet().allocatable(PodSpec.MEMORY)).as("units").isEqualTo(30);
            assertThat(kubelet().allocatable(PodSpec.CARDS)).as("cards").isEqualTo(2);
        });
        awaitAllOffered();
    }

    private void assertAllHeld(List<PodSpec> pods) throws IOException, InterruptedException {
        Checks checks = new Checks();
        TerminalView screen = new TerminalView(System.out, false, InstantSource.system());
        try (WorkloadRun round = new WorkloadRun(sandbox, screen, checks)) {
            round.run(pods, Instant.now().plus(Patience.of(Duration.ofSeconds(60))));
            round.clear();
        }
        assertThat(checks.failures()).isEmpty();
        assertThat(checks.held()).isPositive();
    }

    private SimulatedKubelet kubelet() {
        return Objects.requireNonNull(sandbox.kubelets().get(NODE));
    }
}
