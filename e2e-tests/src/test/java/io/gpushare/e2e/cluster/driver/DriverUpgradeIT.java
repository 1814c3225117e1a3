package io.gpushare.e2e.cluster.driver;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.e2e.chart.Chart;
import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.cluster.ClusterScenario;
import io.gpushare.e2e.cluster.Installation;
import io.gpushare.e2e.cluster.Pods;
import io.gpushare.e2e.cluster.SimulatedMps;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The driver of a node is replaced under running pods. The GPU Operator itself is not here: its labels are set as its
 * driver manager sets them.
 */
@Tag("release")
class DriverUpgradeIT extends ClusterScenario {
    private static final String LABEL = "nvidia.com/gpu.deploy.client";
    private static final String PROGRAMS = "component in (gpu-share-device-plugin,gpu-share-mps)";
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final String OLD = "570.133.20";
    /** The default of the simulated driver. */
    private static final String NEW = "580.95.05";

    private static SimulatedMps mps;

    @BeforeAll
    static void supervise() {
        shared.reinstallNext();
        mps = new SimulatedMps(cluster, ROOT);
        mps.copyPrograms(List.of(cluster.node()));
        mps.installSupervisor();
    }

    @AfterEach
    void unlabel() {
        cluster.kubectl().run("label", "node", cluster.node(), LABEL + "-");
    }

    @AfterAll
    static void remove() {
        if (mps != null) {
            mps.removeSupervisor();
        }
    }

    private static void label(String value) {
        cluster.kubectl().run("label", "node", cluster.node(), "--overwrite", LABEL + "=" + value);
    }

    /** The programs of the node, also those that end. */
    private static JsonNode programs() {
        return cluster.kubectl()
                .json("-n", Installation.NAMESPACE, "get", "pods", "-l", PROGRAMS)
                .path("items");
    }

    private static double seconds(long since) {
        return (System.nanoTime() - since) / 1e9;
    }

    private static JsonNode job() {
        return cluster.kubectl().json("get", "job", "stream").at("/status");
    }

    @Test
    void aPauseTakesPluginAndSupervisorOffTheNodeClosesItsCardsAndLosesNoPod() {
        label("true");
        pods.createMemory("before", 2);
        JsonNode before = pods.running("before");
        pods.createJob("stream", 40);
        Await.until(
                PATIENCE,
                "the stream flows",
                DriverUpgradeIT::job,
                now -> now.path("succeeded").asInt() > 4);
        assertThat(programs()).hasSize(2);

        long paused = System.nanoTime();
        label("paused-for-driver-upgrade");
        Await.until(PATIENCE, "plugin and supervisor leave", DriverUpgradeIT::programs, JsonNode::isEmpty);
        double left = seconds(paused);
        allocatable(0, 0);
        pods.createMemory("late", 1);
        String reason = Pods.unschedulable(pods.refused("late", "0/1 nodes are available"));
        assertThat(job().path("succeeded").asInt()).isLessThan(40);
        undisturbed(before);

        long resumed = System.nanoTime();
        label("true");
        pods.running("late");
        double back = seconds(resumed);
        JsonNode status = Await.until(
                Duration.ofMinutes(3),
                "the stream has ended",
                DriverUpgradeIT::job,
                now -> now.path("succeeded").asInt() == 40 || now.path("failed").asInt() > 0);
        assertThat(status.path("failed").asInt()).as("lost pods: %s", status).isZero();
        assertThat(programs()).hasSize(2);
        undisturbed(before);
        cluster.kubectl().run("delete", "job", "stream", "--wait");
        System.out.printf(
                "e2e: paused: plugin and supervisor left after %.1f s, a new pod waits (%s); resumed: it ran after"
                        + " %.1f s; 40 pods of a Job and one that ran meanwhile: 0 lost%n",
                left, reason, back);
    }

    /** The pods that the operator's drain evicts with this selector. */
    @Test
    void theDrainsSelectorFindsPodsOfEachResourceAndNoOthers() throws IOException {
        needs("mutating-policies");
        String policy =
                Objects.requireNonNull(Chart.templates("admission: {drainLabel: true, programs: false}", "1.36.2")
                        .get("admission.yaml"));
        cluster.kubectl().apply(policy);
        try {
            Await.until(
                    PATIENCE,
                    "the policy is in force",
                    () -> {
                        pods.createMemory("memory", 1);
                        JsonNode labels = pods.pod("memory").at("/metadata/labels");
                        pods.delete("memory");
                        return labels;
                    },
                    labels -> labels.has("gpushare.io/gpu-pod"));
            pods.createMemory("memory", 1);
            pods.createWhole("whole", 1);
            cluster.kubectl().apply(pods.manifest("none", Map.of("main", "cpu: 10m")));
            pods.running("memory");
            pods.running("none");
            String selected = cluster.kubectl()
                    .run("-n", "default", "get", "pods", "-l", "gpushare.io/gpu-pod=true", "-o", "name");
            assertThat(selected.lines()).containsExactlyInAnyOrder("pod/memory", "pod/whole");
            cluster.kubectl()
                    .run("drain", cluster.node(), "--pod-selector=gpushare.io/gpu-pod=true", "--force", "--timeout=1h");
            assertThat(pods.all()
                            .valueStream()
                            .map(pod -> pod.at("/metadata/name").asText()))
                    .containsExactly("none");
        } finally {
            cluster.kubectl().run("uncordon", cluster.node());
            cluster.kubectl()
                    .run("delete", "mutatingadmissionpolicy,mutatingadmissionpolicybinding", "gpushare-drain-label");
        }
    }

    private static void undisturbed(JsonNode before) {
        JsonNode now = pods.pod(before.at("/metadata/name").asText());
        assertThat(now.at("/metadata/uid")).isEqualTo(before.at("/metadata/uid"));
        assertThat(Pods.ready(now)).isTrue();
        assertThat(now.at("/status/containerStatuses/0/restartCount").intValue())
                .isZero();
    }

    /**
     * A container has the folder of the version that was current when it started: the kubelet resolves the link then,
     * as NVIDIA's container runtime mounts the files that it finds then.
     */
    @Test
    void anotherDriverUnderARunningPluginIsLoadedByItsNextContainer() throws IOException {
        driver(OLD);
        cluster.kubectl().run("-n", Installation.NAMESPACE, "patch", Installation.PLUGIN, "--patch", """
            {"spec":{"template":{"spec":{"containers":[{"name":"gpushare",
              "args":["--memory-unit=GiB","--metrics-address=:9450","--nvml-library=/driver/libnvidia-ml.so.1"],
              "volumeMounts":[{"name":"simulated","mountPath":"/driver","subPath":"driver/current"}]}]}}}}\
            """);
        installation.ready(Installation.PLUGIN);
        allocatable(30, 2);
        pods.createMemory("before", 2);
        JsonNode before = pods.running("before");

        long replaced = System.nanoTime();
        driver(NEW);
        JsonNode restarted = Await.until(
                PATIENCE, "the plugin's next container is ready", DriverUpgradeIT::plugin, DriverUpgradeIT::restarted);
        double back = seconds(replaced);
        JsonNode last = restarted.at("/status/containerStatuses/0/lastState/terminated");
        assertThat(last.path("exitCode").asInt()).isEqualTo(3);
        assertThat(events(cluster.node())).contains("GpuDriverReplaced");
        allocatable(30, 1);
        undisturbed(before);
        pods.createWhole("other", 1);
        pods.running("other");
        assertThat(pods.sees("other", "main")).isNotEqualTo(cardOf("before", "main"));
        assertThat(plugin().at("/status/containerStatuses/0/restartCount").intValue())
                .isEqualTo(1);
        System.out.printf(
                "e2e: driver %s became %s: the plugin exited with 3 and was ready again after %.1f s, 1 restart;"
                        + " a running pod kept its card%n",
                OLD, NEW, back);
    }

    private static JsonNode plugin() {
        return cluster.kubectl()
                .json("-n", Installation.NAMESPACE, "get", "pods", "-l", "component=gpu-share-device-plugin")
                .at("/items/0");
    }

    private static boolean restarted(JsonNode pod) {
        return Pods.ready(pod)
                && pod.at("/status/containerStatuses/0/restartCount").intValue() > 0;
    }

    /** Installs and loads that version: the former one is removed. */
    private static void driver(String version) throws IOException {
        Path drivers = Files.createDirectories(cluster.sharedFolder().resolve("driver"));
        Path folder = Files.createDirectories(drivers.resolve(version));
        Path library = folder.resolve("libnvidia-ml.so." + version);
        Files.copy(ROOT.resolve("nvml-binding/target/simulated-driver/libnvidia-ml.so.1"), library);
        Files.createSymbolicLink(folder.resolve("libnvidia-ml.so.1"), library.getFileName());
        Path next = Files.createSymbolicLink(drivers.resolve("next"), Path.of(version));
        Files.move(next, drivers.resolve("current"), StandardCopyOption.ATOMIC_MOVE);
        installation.cards("driver version=" + version, twoT4()[0], twoT4()[1]);
    }
}
