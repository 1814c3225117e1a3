package io.gpushare.plugin;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.codec.AnnotationKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The usage of containers, from the driver's processes and their cgroups to metrics, Events and evictions. */
class UsageIT extends WholeProgram {
    private static final long GIB = 1L << 30;

    private final List<String> processes = new ArrayList<>();

    @Test
    void eachContainerHasItsOwnUsageAndOnlyTheOneAboveItsLimitIsReported() throws Exception {
        cards(CARD_A + " utilisation=90/40 temperature=61 power=65 ecc-errors=3/1", CARD_B);
        run(METRICS, "--proc-dir=" + Files.createDirectory(dir.resolve("proc")));
        await().until(() -> kubelet.healthy(MEMORY).size() == 30);
        runs("greedy", 2);
        runs("modest", 3);
        uses(101, "greedy", 5, 60);
        uses(102, "modest", 2, 20);
        uses(103, "modest", 1, 10);
        uses(104, "", 1, 0);
        showProcesses(" utilisation=90/40 temperature=61 power=65 ecc-errors=3/1");

        await().until(() -> !api.events().isEmpty());
        assertThat(api.events().getFirst())
                .contains(
                        "GpuMemoryOverUse", "\"name\":\"greedy\"", "aliyun.com/gpu-mem is 2, but the container uses 5");
        await().until(() -> metrics().contains(container("memory_used_bytes", "modest", 3 * GIB)));
        assertThat(metrics().lines())
                .contains(
                        container("memory_used_bytes", "greedy", 5 * GIB),
                        container("memory_allocated_bytes", "greedy", 2 * GIB),
                        container("memory_allocated_bytes", "modest", 3 * GIB),
                        container("utilisation_ratio", "greedy", 0.6),
                        container("utilisation_ratio", "modest", 0.3),
                        card("memory_used_bytes", 9 * GIB),
                        card("memory_allocated_bytes", 5 * GIB),
                        card("foreign_memory_used_bytes", GIB),
                        card("containers_over_use", 1),
                        card("utilisation_ratio", 0.9),
                        card("temperature_celsius", 61),
                        card("power_watts", 65),
                        "gpushare_card_ecc_errors_total{card=\"" + A + "\",model=\"Tesla T4\",type=\"corrected\"} 3.0",
                        "gpushare_card_ecc_errors_total{card=\"" + A
                                + "\",model=\"Tesla T4\",type=\"uncorrected\"} 1.0");
        assertThat(api.events())
                .filteredOn(event -> event.contains("GpuMemoryOverUse"))
                .hasSize(1);
        assertThat(api.evictions()).isEmpty();

        // Without the driver its figures disappear.
        Files.delete(dir.resolve("cards"));
        await().until(() -> get("/readyz").statusCode() == 503);
        assertThat(metrics()).contains("memory_used_bytes{");
        passTime(Duration.ofSeconds(31));
        assertThat(metrics()).doesNotContain("memory_used_bytes{");
        assertThat(metrics().lines()).contains(container("memory_allocated_bytes", "greedy", 2 * GIB));
    }

    @Test
    void aPodWithoutARequestAndAProcessOutsideOfPodsAreReportedWithTheCardThatTheyUse() throws Exception {
        cards(CARD_A, CARD_B);
        run(METRICS, "--proc-dir=" + Files.createDirectory(dir.resolve("proc")));
        await().until(() -> kubelet.healthy(MEMORY).size() == 30);
        runs("modest", 3);
        api.pod("uninvited", "Running", Map.of(), "");
        uses(101, "modest", 2, 20);
        uses(102, "uninvited", 4, 20);
        uses(103, "", 1, 0);
        showProcesses("");

        // It waits for several reports of the driver in a row, which come every five seconds.
        await().until(() -> {
            passTime(Duration.ofSeconds(5));
            return api.events().size() == 2;
        });
        assertThat(api.events())
                .allMatch(event -> event.contains("GpuUseWithoutAllocation") && event.contains(A))
                .anyMatch(event -> event.contains("\"kind\":\"Pod\",\"name\":\"uninvited\"")
                        && event.contains("Request GPU memory or cards in its resources"))
                .anyMatch(event -> event.contains("\"kind\":\"Node\",\"name\":\"n1\"")
                        && event.contains("nvidia-smi shows the process"));
        await().untilAsserted(() -> assertThat(metrics().lines())
                .contains(
                        card("foreign_memory_used_bytes", 5 * GIB), container("memory_used_bytes", "modest", 2 * GIB)));
        assertThat(metrics()).doesNotContain("uninvited");

        // 4 GiB and 1 GiB, of which no new pod gets anything.
        await().until(() -> inventory().contains("foreignMiB\\\":5120"));
        processes.removeLast();
        processes.removeLast();
        showProcesses("");
        await().until(() -> {
            passTime(Duration.ofSeconds(5));
            return !inventory().contains("foreignMiB");
        });
    }

    @Test
    void withoutTheNodesProcessesOnlyTheUsageOfContainersIsMissing() throws Exception {
        cards(CARD_A, CARD_B);
        run(METRICS, "--proc-dir=" + dir.resolve("nowhere"));
        await().until(() -> kubelet.healthy(MEMORY).size() == 30);
        runs("greedy", 2);
        uses(101, "greedy", 5, 60);
        showProcesses("");

        await().until(() -> log().contains("set hostPID: true in the pod's spec, or --proc-dir"));
        assertThat(metrics().lines())
                .contains(container("memory_allocated_bytes", "greedy", 2 * GIB), card("memory_used_bytes", 5 * GIB))
                .noneMatch(line -> line.startsWith("gpushare_container_memory_used")
                        || line.startsWith("gpushare_card_foreign")
                        || line.startsWith("gpushare_container_utilisation"));
        assertThat(api.events()).isEmpty();
        assertThat(log()).containsOnlyOnce("none of the processes on the cards is visible");
    }

    @Test
    void theLargestExcessIsEvictedFirstOneAtATimeAndNoPodBelowItsLimit() throws Exception {
        cards(CARD_A, CARD_B);
        api.guard("guarded");
        run(METRICS, "--evict-over-use-after=6s", "--proc-dir=" + Files.createDirectory(dir.resolve("proc")));
        await().until(() -> kubelet.healthy(MEMORY).size() == 30);
        runs("bad", 1);
        runs("worse", 2);
        runs("guarded", 1);
        runs("modest", 3);
        uses(101, "bad", 2, 0);
        uses(102, "worse", 4, 0);
        uses(103, "guarded", 4, 0);
        uses(104, "modest", 3, 0);
        showProcesses("");

        await().until(() -> api.events().size() == 3);
        assertThat(api.events())
                .allMatch(event -> event.contains(
                        "evicted if this lasts for 6 s, unless a PodDisruptionBudget or an admission policy"
                                + " forbids it."));
        assertThat(api.evictions()).isEmpty();
        await().until(() -> api.evictions().size() == 2);
        // The budget protects the largest excess, so the next pod is evicted, and no other while that one may still
        // end.
        assertThat(api.evictions()).containsExactly("guarded", "worse");
        api.awaitEvent("OverUseEvicted");
        assertThat(metrics().lines())
                .contains(
                        "gpushare_plugin_over_use_evictions_total{outcome=\"evicted\"} 1.0",
                        "gpushare_plugin_over_use_evictions_total{outcome=\"refused\"} 1.0");
    }

    @Test
    void aStepForwardOfTheWallClockEvictsNobody() throws Exception {
        cards(CARD_A, CARD_B);
        run(METRICS, "--evict-over-use-after=600s", "--proc-dir=" + Files.createDirectory(dir.resolve("proc")));
        await().until(() -> kubelet.healthy(MEMORY).size() == 30);
        runs("greedy", 2);
        uses(101, "greedy", 5, 0);
        showProcesses("");
        await().until(() -> api.events().size() == 1);

        stepWallClock(Duration.ofHours(1));
        // When the second reading is visible, the first one after the step was acted upon.
        for (int gib = 6; gib <= 7; gib++) {
            double bytes = gib * GIB;
            uses(100 + gib, "greedy", 1, 0);
            showProcesses("");
            await().until(() -> metrics().contains(card("memory_used_bytes", bytes)));
        }
        assertThat(api.evictions()).isEmpty();
    }

    /** As it was written last. */
    private String inventory() {
        return api.patches().stream()
                .filter(patch -> patch.contains(AnnotationKeys.INVENTORY))
                .reduce("", (_, last) -> last);
    }

    @Test
    void underTheNamesOfDcgmExporterEachContainerHasItsOwnUseAndItsOwnFreeMemory() throws Exception {
        String facts = " utilisation=90/40 temperature=61 power=65";
        cards(CARD_A + facts, CARD_B);
        run(METRICS, "--dcgm-metrics", "--proc-dir=" + Files.createDirectory(dir.resolve("proc")));
        await().until(() -> kubelet.healthy(MEMORY).size() == 30);
        runs("modest", 3);
        uses(101, "modest", 1, 20);
        uses(102, "modest", 1, 10);
        showProcesses(facts);

        await().untilAsserted(() -> assertThat(dcgm("FB_USED", A, "modest")).isEqualTo("2048.0"));
        assertThat(dcgm("FB_FREE", A, "modest")).isEqualTo("1024.0");
        assertThat(dcgm("GPU_UTIL", A, "modest")).isEqualTo("30.0");
        assertThat(dcgm("GPU_TEMP", A, "")).isEqualTo("61.0");
        assertThat(dcgm("POWER_USAGE", A, "")).isEqualTo("65.0");
        assertThat(dcgm("FB_USED", A, ""))
                .as("the card's own, beside a container")
                .isEmpty();
        assertThat(dcgm("FB_USED", B, "")).isEqualTo("0.0");
        assertThat(dcgm("FB_FREE", B, ""))
                .as("without what the driver reserves")
                .isEqualTo("14913.0");
    }

    /** The value of that card and pod; empty if there is no such series. */
    private String dcgm(String name, String card, String pod) throws Exception {
        String container = pod.isEmpty() ? "" : "main";
        String index = card.equals(A) ? "0" : "1";
        return get("/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith("DCGM_FI_DEV_" + name + "{"))
                .filter(line -> List.of(
                                "UUID=\"" + card + "\"",
                                "gpu=\"" + index + "\"",
                                "device=\"nvidia" + index + "\"",
                                "pci_bus_id=\"00000000:",
                                "modelName=\"Tesla T4\"",
                                "Hostname=\"n1\"",
                                "namespace=\"" + (pod.isEmpty() ? "" : "default") + "\"",
                                "pod=\"" + pod + "\"",
                                "container=\"" + container + "\"")
                        .stream()
                        .allMatch(line::contains))
                .map(line -> line.substring(line.indexOf("} ") + 2))
                .reduce("", String::concat);
    }

    /** A pod of that much memory of card A, admitted and running. */
    private void runs(String pod, int units) {
        api.pod(pod, "Pending", Map.of(MEMORY, String.valueOf(units)), memoryOn(A, units));
        list(pod);
        allocate(MEMORY, preferred(MEMORY, units));
        api.pod(pod, "Running", Map.of(MEMORY, String.valueOf(units)), memoryOn(A, units));
    }

    /** A process on card A, in the container of that pod, or in none. */
    private void uses(long pid, String pod, int gib, int utilisation) throws IOException {
        processes.add("process pid=" + pid + " card=0 memory=" + gib + "GiB utilisation=" + utilisation);
        Path proc = dir.resolve("proc");
        if (Files.exists(proc)) {
            String path = pod.isEmpty()
                    ? "/system.slice/sshd.service"
                    : "/kubepods/burstable/pod" + "0".repeat(32) + "/" + TestApiServer.containerId(pod);
            Files.writeString(
                    Files.createDirectory(proc.resolve(String.valueOf(pid))).resolve("cgroup"), "0::" + path + "\n");
        }
    }

    private void showProcesses(String facts) throws IOException {
        List<String> lines = new ArrayList<>(List.of(CARD_A + facts, CARD_B));
        lines.addAll(processes);
        cards(lines.toArray(String[]::new));
    }

    private static String container(String name, String pod, double value) {
        return "gpushare_container_" + name + "{card=\"" + A
                + "\",container=\"main\",model=\"Tesla T4\",namespace=\"default\",pod=\"" + pod + "\"} " + value;
    }

    private static String card(String name, double value) {
        return "gpushare_card_" + name + "{card=\"" + A + "\",model=\"Tesla T4\"} " + value;
    }
}
