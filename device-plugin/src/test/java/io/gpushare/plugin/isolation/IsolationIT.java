package io.gpushare.plugin.isolation;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpushare.api.deviceplugin.v1beta1.PreStartContainerRequest;
import io.gpushare.plugin.WholeProgram;
import io.gpushare.simulated.program.StartedProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Isolation by the driver's limits, and what happens where a node can't have what was asked for. */
class IsolationIT extends WholeProgram {
    private static final String NEW_DRIVER = "driver version=615.71.09";

    private Path cgroups;

    @BeforeEach
    void mountCgroups() throws IOException {
        cgroups = Files.createDirectory(dir.resolve("cgroup"));
        Files.writeString(cgroups.resolve("cgroup.controllers"), "cpu memory\n");
    }

    @Test
    void unequalLimitsAreExactBeforeTheContainersStartAndGoWithTheirPods() throws Exception {
        cards(NEW_DRIVER, CARD_A, CARD_B);
        runIsolated("--isolation=driver", METRICS);
        for (int gib : new int[] {2, 5, 7}) {
            List<String> devices = admit("p" + gib, gib);
            assertThatThrownBy(() -> start(devices))
                    .hasMessageContaining("pod default/p" + gib + " container 'main' can't start: the cgroup of pod")
                    .hasMessageContaining("is not below " + cgroups);
            Path cgroup = cgroup("p" + gib);

            start(devices);

            assertThat(kept()).contains(limit(A, gib, cgroup));
        }
        assertThat(kept().lines().filter(line -> line.startsWith("limit"))).hasSize(3);
        assertThat(api.patches().getLast()).contains("\\\"isolation\\\":\\\"driver\\\"");
        assertThat(metrics().lines())
                .contains(
                        "gpushare_card_isolation{card=\"" + A + "\",model=\"Tesla T4\",provider=\"driver\"} 1.0",
                        "gpushare_card_isolation_missing{card=\"" + A + "\",model=\"Tesla T4\"} 0.0",
                        "gpushare_plugin_container_starts_refused_total 3.0");

        // The pod is deleted before its last process has ended.
        Files.writeString(cgroup("p5").resolve("cgroup.events"), "populated 1\nfrozen 0\n");
        api.delete("p5");
        api.delete("p2");
        await().until(() -> !kept().contains(cgroup("p2").toString()));
        assertThat(kept()).contains(limit(A, 5, cgroup("p5")), limit(A, 7, cgroup("p7")));
        Files.writeString(cgroup("p5").resolve("cgroup.events"), "populated 0\nfrozen 0\n");
        await().until(() -> !kept().contains(cgroup("p5").toString()));
    }

    @Test
    void aLimitThatTheDriverLostIsRestoredAndReported() throws Exception {
        cards(NEW_DRIVER, CARD_A, CARD_B);
        runIsolated("--isolation=driver", METRICS);
        Path cgroup = cgroup("p");
        start(admit("p", 3));

        Files.delete(dir.resolve("cards.kept"));

        await().until(() -> kept().contains(limit(A, 3, cgroup)));
        api.awaitEvent("GpuLimitRestored");
        assertThat(metrics().lines()).contains("gpushare_plugin_isolation_repairs_total{kind=\"limit_restored\"} 1.0");
    }

    @Test
    void afterARestartOfThePluginAContainerIsKnownByItsDevices() throws Exception {
        cards(NEW_DRIVER, CARD_A, CARD_B);
        StartedProgram first = runIsolated("--isolation=driver");
        List<String> devices = admit("p", 3);
        Path cgroup = cgroup("p");
        start(devices);
        Files.delete(dir.resolve("cards.kept"));
        first.kill();
        listRunning("p", MEMORY, devices);

        runIsolated("--isolation=driver");
        start(devices);

        assertThat(kept()).contains(limit(A, 3, cgroup));
        assertThatThrownBy(() -> start(List.of(B + "::1"))).hasMessageContaining("does not know yet which pod");
    }

    @Test
    void aDriverWithoutLimitsOffersNoMemoryAndSaysWhy() throws Exception {
        cards("driver version=580.95.05", CARD_A, CARD_B);
        run("--isolation=driver", "--cgroup-root=" + cgroups, METRICS);

        await().until(() -> kubelet.healthy(CARDS).size() == 2);
        await().untilAsserted(() -> assertThat(kubelet.healthy(MEMORY)).isEmpty());
        assertThat(kubelet.devices(MEMORY).orElseThrow()).hasSize(28);
        String reason = "driver 580.95.05 has no memory limits: they need 615 or newer";
        await().until(() -> !api.patches().isEmpty());
        assertThat(api.patches().getLast()).contains(reason, "memoryClosed");
        await().until(() -> api.events().size() == 2);
        assertThat(api.events())
                .allMatch(event -> event.contains("GpuIsolationMissing")
                        && event.contains("offers no memory: " + reason)
                        && event.contains("\"kind\":\"Node\""));
        assertThat(metrics().lines())
                .contains("gpushare_card_isolation_missing{card=\"" + A + "\",model=\"Tesla T4\"} 1.0");

        // A pod that was bound before the plugin said so.
        api.pod("p", "Pending", Map.of(MEMORY, "3"), memoryOn(A, 3));
        list("p");
        assertThatThrownBy(() -> allocate(MEMORY, List.of(A + "::0", A + "::1", A + "::2")))
                .hasMessageContaining("offers no memory (" + reason + "): recreate the pod");
        // Whole cards need no isolation.
        api.pod("w", "Pending", Map.of(CARDS, "1"), wholeCard(B));
        list("p", "w");
        assertThat(allocate(CARDS, List.of(B))).containsEntry("NVIDIA_VISIBLE_DEVICES", B);
        start(CARDS, List.of(B));
    }

    @Test
    void gpusharesManifestsWithMpsStartServeByCountAndSayThatNothingIsEnforced() throws Exception {
        cards("driver version=550.163.01", CARD_A, CARD_B);
        run("-mps=true", "--health-check=true", METRICS);
        await().until(() -> kubelet.healthy(MEMORY).size() == 30);
        List<String> devices = admit("p", 3);
        start(devices);

        String reason = "no MPS supervisor serves this node: install deploy/isolation/mps.yaml";
        assertThat(log()).contains("Memory of card " + A + " is only counted, not enforced: " + reason);
        await().until(() -> api.events().size() >= 2);
        api.awaitEvent("GpuIsolationMissing", reason, "\"kind\":\"Node\"");
        assertThat(api.patches()).anyMatch(patch -> patch.contains(reason) && !patch.contains("memoryClosed"));
        assertThat(metrics().lines())
                .contains(
                        "gpushare_card_isolation{card=\"" + A + "\",model=\"Tesla T4\",provider=\"none\"} 1.0",
                        "gpushare_card_isolation_missing{card=\"" + A + "\",model=\"Tesla T4\"} 1.0");
    }

    @Test
    void autoUsesTheDriverWhereEveryCardCanAndNothingOtherwise() throws Exception {
        String mig = "card kind=A100-80 memory=15GiB mig=on uuid=" + B;
        cards(NEW_DRIVER, CARD_A, mig);
        runIsolated("--isolation=auto");
        await().until(() -> api.patches().stream().anyMatch(patch -> patch.contains("MIG mode is enabled")));
        // A card in MIG mode is not offered at all. The other one has the limits of the driver, and keeps its head
        // room.
        await().untilAsserted(() -> assertThat(kubelet.healthy(MEMORY)).hasSize(14));

        // Switched off while the plugin runs: the change is seen without a restart.
        cards(NEW_DRIVER, CARD_A, mig.replace("mig=on ", ""));
        await().until(() -> api.patches().getLast().contains("\\\"isolation\\\":\\\"driver\\\""));
    }

    private StartedProgram runIsolated(String... options) throws IOException {
        int registrations = kubelet.registrations().size();
        String[] all = java.util.Arrays.copyOf(options, options.length + 1);
        all[options.length] = "--cgroup-root=" + cgroups;
        StartedProgram running = run(all);
        await().until(() -> kubelet.registrations().size() == registrations + 2);
        await().until(() -> !kubelet.healthy(MEMORY).isEmpty());
        return running;
    }

    /** Admits a pod of that much memory of card A, and returns its devices. */
    private List<String> admit(String pod, int gib) {
        api.pod(pod, "Pending", Map.of(MEMORY, String.valueOf(gib)), memoryOn(A, gib));
        list(pod);
        List<String> devices = preferred(MEMORY, gib);
        allocate(MEMORY, devices);
        return devices;
    }

    private void start(List<String> devices) {
        start(MEMORY, devices);
    }

    private void start(String resource, List<String> devices) {
        kubelet.calls(resource)
                .preStartContainer(PreStartContainerRequest.newBuilder()
                        .addAllDevicesIds(devices)
                        .build());
    }

    private Path cgroup(String pod) throws IOException {
        return Files.createDirectories(
                cgroups.resolve("kubepods.slice/kubepods-burstable.slice/kubepods-burstable-poduid_" + pod + ".slice"));
    }

    private String kept() throws IOException {
        Path file = dir.resolve("cards.kept");
        return Files.exists(file) ? Files.readString(file) : "";
    }

    private static String limit(String card, int gib, Path cgroup) {
        long bytes = (long) gib << 30;
        return "limit " + card + " " + bytes + " " + bytes + " " + cgroup;
    }
}
