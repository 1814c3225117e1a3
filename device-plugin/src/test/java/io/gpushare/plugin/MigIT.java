package io.gpushare.plugin;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Cards with MIG: their instances are offered by memory and by profile, and follow every new cut. */
class MigIT extends WholeProgram {
    private static final String LARGE = "nvidia.com/mig-3g.40gb";
    private static final String SMALL = "nvidia.com/mig-1g.10gb";
    private static final String FULL = "card kind=H100-80 uuid=" + A;
    private static final String CUT = "card kind=H100-80 uuid=" + B + " minor=1 mig=";

    @Test
    void instancesAreOfferedByMemoryAndByProfileBesideFullCards() throws Exception {
        cards(FULL, CUT + "3g.40gb,1g.10gb,-,1g.10gb");
        run();
        awaitHealthy(LARGE, 1);
        awaitHealthy(SMALL, 2);
        await().untilAsserted(() -> assertThat(kubelet.healthy(CARDS)).containsExactly(A));
        assertThat(unitsByCard())
                .containsOnly(Map.entry(A, 79L), units(LARGE, 0, 39), units(SMALL, 0, 9), units(SMALL, 1, 9));
        await().until(() -> !api.patches().isEmpty());
        assertThat(api.patches().getLast())
                .contains("\\\"profile\\\":\\\"3g.40gb\\\"", "\\\"parent\\\":\\\"" + B + "\\\"")
                .doesNotContain("\\\"uuid\\\":\\\"" + B);
    }

    @Test
    void aContainerGetsTheInstanceThatItsPodHasWholeOrInPart() throws Exception {
        cards(FULL, CUT + "3g.40gb,1g.10gb,1g.10gb");
        Path minors = dir.resolve("proc/driver/nvidia-caps/mig-minors");
        Files.createDirectories(Objects.requireNonNull(minors.getParent()));
        Files.createSymbolicLink(minors, dir.resolve("cards.mig-minors"));
        run("--device-list-strategy=envvar,cdi-cri,device-specs", "--proc-dir=" + dir.resolve("proc"));
        awaitHealthy(SMALL, 2);
        awaitHealthy(LARGE, 1);
        String large = kubelet.healthy(LARGE).getFirst();
        String second = kubelet.healthy(SMALL).getLast();

        api.pod("whole", "Pending", Map.of(SMALL, "1"), wholeCard(second));
        list("whole");
        await().until(() -> preferred(SMALL, 1).equals(List.of(second)));
        assertThat(allocate(SMALL, List.of(second))).containsEntry("NVIDIA_VISIBLE_DEVICES", second);
        await().until(() -> units(second) == 0);

        api.pod("part", "Pending", Map.of(MEMORY, "5"), memoryOn(large, 5));
        listRunning("whole", SMALL, List.of(second), "part");
        List<String> ids = Stream.of(0, 1, 2, 3, 4).map(n -> large + "::" + n).toList();
        var response = response(MEMORY, ids);
        assertThat(response.getEnvsMap())
                .containsEntry("NVIDIA_VISIBLE_DEVICES", large)
                .containsEntry("ALIYUN_COM_GPU_MEM_DEV", "39");
        assertThat(response.getCdiDevicesList())
                .extracting(device -> device.getName())
                .containsExactly("nvidia.com/gpu=" + large);
        // The GPU instance 1 of the card with minor number 1.
        assertThat(response.getDevicesList())
                .extracting(device -> device.getHostPath())
                .startsWith("/dev/nvidia1", "/dev/nvidia-caps/nvidia-cap147", "/dev/nvidia-caps/nvidia-cap148")
                .doesNotContain("/dev/nvidia0");
        await().until(() -> kubelet.healthy(LARGE).isEmpty());
    }

    @Test
    void anotherCutIsSeenWithinAScan() throws Exception {
        cards(FULL, CUT + "3g.40gb,1g.10gb");
        run();
        awaitHealthy(LARGE, 1);
        awaitHealthy(SMALL, 1);
        String before = kubelet.healthy(LARGE).getFirst();
        api.pod("p", "Running", Map.of(LARGE, "1"), wholeCard(before));
        await().until(() -> units(before) == 0);
        cards(FULL, CUT + "2g.20gb,2g.20gb mig-seed=again");
        awaitHealthy("nvidia.com/mig-2g.20gb", 2);
        await().until(() ->
                kubelet.healthy(LARGE).isEmpty() && kubelet.healthy(SMALL).isEmpty());
        assertThat(unitsByCard()).doesNotContainKey(before).hasSize(3);
        await().until(() -> log().contains(LARGE + " is no longer offered"));
        assertThat(api.patches().getLast()).doesNotContain(before);
        api.awaitEvent("GpuInstanceRemoved", before);

        cards(FULL, CUT + "on");
        await().until(() -> api.patches().getLast().contains("without an instance"));
        await().until(() -> unitsByCard().size() == 1);
        cards(FULL, CUT + "3g.40gb,1g.10gb");
        awaitHealthy(LARGE, 1);
        await().untilAsserted(() -> assertThat(kubelet.healthy(LARGE)).containsExactly(before));
        await().untilAsserted(() -> assertThat(kubelet.healthy(CARDS)).containsExactly(A));
        cards(FULL, CUT + "off");
        await().until(() -> kubelet.healthy(CARDS).equals(List.of(A, B)));
    }

    @Test
    void anXidOfAnInstanceLeavesTheOthersHealthyAndOneOfTheCardDoesNot() throws Exception {
        cards(FULL, CUT + "3g.40gb,1g.10gb");
        run("--health-quiet-time=300s");
        awaitHealthy(LARGE, 1);
        awaitHealthy(SMALL, 1);
        cards(FULL, CUT + "3g.40gb,1g.10gb xid=79#1@1");
        await().until(() -> kubelet.healthy(SMALL).isEmpty());
        await().untilAsserted(() -> assertThat(kubelet.healthy(LARGE)).hasSize(1));
        cards(FULL, CUT + "3g.40gb,1g.10gb xid=79#1@1,79#2");
        await().until(() -> kubelet.healthy(LARGE).isEmpty());
        await().untilAsserted(() -> assertThat(kubelet.healthy(CARDS)).containsExactly(A));
    }

    @Test
    void withoutTheOptionACardWithMigOffersNothing() throws Exception {
        cards(FULL, CUT + "3g.40gb");
        run("--mig=off");
        await().until(() -> kubelet.healthy(CARDS).equals(List.of(A)));
        await().until(() -> api.patches().stream().anyMatch(patch -> patch.contains("--mig=off")));
        assertThat(kubelet.registrations()).noneMatch(name -> name.contains("mig"));
    }

    private void awaitHealthy(String resource, int count) {
        await().until(() -> kubelet.registrations().contains(resource)
                && kubelet.devices(resource).isPresent()
                && kubelet.healthy(resource).size() == count);
    }

    private Map<String, Long> unitsByCard() {
        return kubelet.healthy(MEMORY).stream()
                .collect(Collectors.groupingBy(id -> id.substring(0, id.indexOf("::")), Collectors.counting()));
    }

    private long units(String card) {
        return unitsByCard().getOrDefault(card, 0L);
    }

    private Map.Entry<String, Long> units(String resource, int at, long units) {
        return Map.entry(kubelet.healthy(resource).get(at), units);
    }
}
