package io.gpushare.plugin;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpushare.simulated.kubelet.devices.CheckpointFile;
import io.gpushare.simulated.program.StartedProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Another version of the driver is installed and loaded under a running plugin, whose container keeps the former
 * library: its file is gone from the node, and mapped still.
 */
class DriverReplacedIT extends WholeProgram {
    private static final String LIBRARY = "libnvidia-ml.so.1";
    private int containers;

    /** What a package of the driver installs: the library, and the name by which programs find it. */
    private void install(String version) throws IOException {
        Path node = Files.createDirectories(dir.resolve("node"));
        try (var files = Files.list(node)) {
            for (Path old : files.toList()) {
                Files.delete(old);
            }
        }
        Path file = node.resolve("libnvidia-ml.so." + version);
        Files.copy(Path.of(System.getProperty("gpushare.simulated.driver")), file);
        Files.createSymbolicLink(node.resolve(LIBRARY), file.getFileName());
    }

    /** What NVIDIA's container runtime does at the start of a container: it mounts the files that the node has then. */
    private StartedProgram container() throws IOException {
        Path node = dir.resolve("node");
        Path mounted = Files.createDirectories(dir.resolve("container-" + ++containers));
        Path file = Files.readSymbolicLink(node.resolve(LIBRARY));
        // Another name of the same file, as a bind mount is.
        Files.createLink(mounted.resolve(file), node.resolve(file));
        Files.createSymbolicLink(mounted.resolve(LIBRARY), file);
        return runProcess("--nvml-library=" + mounted.resolve(LIBRARY));
    }

    @Test
    void thePluginEndsOnceSoThatTheNextContainerLoadsTheNewLibraryAndRunningPodsKeepTheirCards() throws Exception {
        install("570.1.2");
        cards("driver version=570.1.2", CARD_A, CARD_B);
        StartedProgram first = container();
        await().until(() -> kubelet.healthy(MEMORY).size() == 30);
        api.pod("p", "Pending", Map.of(MEMORY, "3"), memoryOn(A, 3));
        list("p");
        List<String> ids = preferred(MEMORY, 3);
        ContainerAllocateResponse response = response(MEMORY, ids);
        kubelet.checkpoint(new CheckpointFile.Entry("uid-p", "main", MEMORY, Set.copyOf(ids), response));
        listRunning("p", MEMORY, ids);
        await().until(() -> kubelet.healthy(CARDS).equals(List.of(B)));

        install("580.95.05");
        cards("driver version=580.95.05", CARD_A, CARD_B);

        assertThat(first.exitCode()).isEqualTo(PluginProgram.DRIVER_REPLACED);
        assertThat(log()).containsOnlyOnce("the device plugin restarts: its library of NVIDIA's driver is not the one");
        api.awaitEvent("GpuDriverReplaced", "Driver/library version");
        assertThat(api.patches()).anyMatch(patch -> patch.contains("driver_version_mismatch"));
        // No pod is bound to the node until the next one serves.
        assertThat(api.patches().getLast()).contains("plugin_restarting", A);

        StartedProgram second = container();
        await().until(() -> kubelet.healthy(MEMORY).size() == 30);
        await().until(() -> api.patches().getLast().contains("580.95.05"));
        await().untilAsserted(() -> assertThat(kubelet.healthy(CARDS))
                .as("pod p has a part of the other card")
                .containsExactly(B));
        assertThat(second.isAlive()).isTrue();
    }

    @Test
    void aNewContainerWithALibraryThatDoesNotFitSaysSoAndStays() throws Exception {
        install("570.1.2");
        String card = "card kind=H100-80 uuid=" + A;
        cards("driver version=580.95.05", card);
        StartedProgram only = container();
        await().until(() -> api.patches().stream().anyMatch(patch -> patch.contains("driver_version_mismatch")));
        for (int scan = 0; scan < 4; scan++) {
            awaitScan("driver version=580.95.05", card + " # " + scan);
        }
        assertThat(only.isAlive()).as("a restart would load the same library").isTrue();

        // The kernel module of the library's version is loaded.
        cards("driver version=570.1.2", card);
        await().until(() -> kubelet.healthy(MEMORY).size() == 79);
    }
}
