package io.gpushare.plugin;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpushare.api.deviceplugin.v1beta1.Device;
import io.gpushare.api.podresources.v1.ListPodResourcesResponse;
import io.gpushare.simulated.kubelet.devices.CheckpointFile;
import io.gpushare.simulated.program.StartedProgram;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A node that gpushare's device plugin served before, and pods that gpushare's extender binds to it. */
class MigrationIT extends WholeProgram {
    @Test
    void podsThatRunUnderGpushareKeepTheirCardFromTheFirstListOn() throws Exception {
        cards(CARD_A, CARD_B);
        api.annotated("ten", "Running", Map.of(MEMORY, "10"), gpushare(0, 10, true));
        api.annotated("four", "Running", Map.of(MEMORY, "4"), gpushare(0, 4, false));
        api.annotated("ended", "Succeeded", Map.of(MEMORY, "15"), gpushare(1, 15, true));
        listGpushares(Map.of("ten", 10, "four", 4));
        run(METRICS);

        await().until(() -> kubelet.devices(CARDS).isPresent());
        assertThat(kubelet.plugin(CARDS).lists().getFirst())
                .filteredOn(device -> device.getHealth().equals("Healthy"))
                .extracting(Device::getID)
                .containsExactly(B);
        await().until(() -> api.podPatches().size() == 2);
        assertThat(api.podPatches())
                .anySatisfy(patch -> assertThat(patch).startsWith("ten ").contains(A + "\\\":10"))
                .anySatisfy(patch -> assertThat(patch).startsWith("four ").contains(A + "\\\":4"))
                .allSatisfy(patch -> assertThat(patch)
                        .contains("\"ALIYUN_COM_GPU_MEM_ASSIGNED\":\"true\"")
                        .doesNotContain("ALIYUN_COM_GPU_MEM_IDX", "ASSUME_TIME"));
        assertThat(api.patches().getLast()).contains("gpushare.io/inventory");
        await().until(() -> api.events().size() == 2);
        assertThat(api.events()).allSatisfy(event -> assertThat(event).contains("GpuAllocationWritten", "keeps it"));
        assertThat(metrics()).contains("gpushare_plugin_differences_found_total{kind=\"adopted\"} 2.0");

        api.pod("more", "Pending", Map.of(MEMORY, "2"), memoryOn(A, 2));
        listGpushares(Map.of("ten", 10, "four", 4, "more", 0));
        assertThatThrownBy(() -> allocate(MEMORY, List.of(A + "::0", A + "::1")))
                .hasMessageContaining("in use by other pods");
    }

    /** Its annotations are gone: the extender learns from the mark that the pod has some card. */
    @Test
    void aPodOfWhichNobodyKnowsTheCardHoldsEachAndIsMarkedForTheExtender() throws Exception {
        cards(CARD_A, CARD_B);
        api.annotated("lost", "Running", Map.of(MEMORY, "10"), Map.of());
        listGpushares(Map.of("lost", 10));
        run();

        await().until(() -> !api.podPatches().isEmpty());
        assertThat(api.podPatches().getFirst())
                .startsWith("lost ")
                .contains("\"ALIYUN_COM_GPU_MEM_ASSIGNED\":\"true\"")
                .doesNotContain("gpushare.io/allocation");
        await().until(() -> !api.events().isEmpty());
        assertThat(api.events().getFirst())
                .contains("GpuAllocationDoubtful", A + ", " + B + " hold its memory. Recreate the pod");
        await().untilAsserted(() -> assertThat(kubelet.healthy(CARDS)).isEmpty());
    }

    /** gpushare's plugin knows a pod by the sum of its containers, and answers for a part: there is no such card. */
    @Test
    void aPodThatGpusharesPluginRefusedHoldsNothingAndIsReported() throws Exception {
        cards(CARD_A);
        api.annotated("two", "Pending", Map.of(MEMORY, "7"), gpushare(0, 7, false));
        listGpushares(Map.of("two", 7));
        kubelet.checkpoint(new CheckpointFile.Entry(
                "uid-two",
                "main",
                MEMORY,
                Set.of(B + "-_-0"),
                ContainerAllocateResponse.newBuilder()
                        .putEnvs("NVIDIA_VISIBLE_DEVICES", "no-gpu-has-7GiB-to-run")
                        .putEnvs("ALIYUN_COM_GPU_MEM_IDX", "-1")
                        .build()));
        run(METRICS);

        await().until(() -> !api.events().isEmpty());
        assertThat(api.events().getFirst()).contains("GpuAllocationRefused", "Recreate the pod");
        assertThat(api.podPatches()).isEmpty();
        await().until(() -> kubelet.healthy(CARDS).equals(List.of(A)));
        assertThat(metrics()).contains("gpushare_plugin_differences_found_total{kind=\"refused\"} 1.0");
    }

    @Test
    void withoutPodResourcesTheAnnotationsAloneHoldTheCard() throws Exception {
        cards(CARD_A, CARD_B);
        kubelet.refuseLists(Integer.MAX_VALUE);
        api.annotated("assigned", "Pending", Map.of(MEMORY, "10"), gpushare(0, 10, true));
        api.annotated("runs", "Running", Map.of(MEMORY, "4"), gpushare(1, 4, false));
        run();

        await().until(() -> kubelet.devices(CARDS).isPresent());
        assertThat(kubelet.plugin(CARDS).lists().getFirst())
                .allMatch(device -> device.getHealth().equals("Unhealthy"));
        await().until(() -> api.podPatches().size() == 2);
    }

    @Test
    void thePluginOfNvidiaOnTheSameNodeIsReportedAndAStaleSocketIsNot() throws Exception {
        cards(CARD_A);
        Path plugins = dir.resolve("device-plugins");
        Files.createFile(plugins.resolve("nvidia-stale.sock"));
        try (ServerSocketChannel nvidia = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            nvidia.bind(UnixDomainSocketAddress.of(plugins.resolve("nvidia-gpu.sock")));
            run();
            await().until(() -> kubelet.healthy(MEMORY).size() == 15);
            await().until(() -> api.events().size() == 1);
        }
        assertThat(api.events().getFirst())
                .contains("GpuOtherDevicePlugin", "\"kind\":\"Node\"", "nvidia-gpu.sock", "offered twice");
        assertThat(log()).containsOnlyOnce("Switch it off on this node");
    }

    @Test
    void aPodBoundByGpusharesExtenderGetsItsCardOrARefusal() throws Exception {
        cards(CARD_A, CARD_B);
        run();
        await().until(() -> kubelet.healthy(MEMORY).size() == 30);
        api.annotated("p", "Pending", Map.of(MEMORY, "10"), gpushare(1, 10, false));
        list("p");
        // Before its Allocate, the card is not offered whole.
        await().until(() -> kubelet.healthy(CARDS).equals(List.of(A)));

        assertThat(allocate(MEMORY, preferred(MEMORY, 10)))
                .containsEntry("NVIDIA_VISIBLE_DEVICES", B)
                .containsEntry("ALIYUN_COM_GPU_MEM_IDX", "1");
        await().until(() -> api.podPatches().size() == 1);
        assertThat(api.podPatches().getFirst())
                .contains(B + "\\\":10", "\"ALIYUN_COM_GPU_MEM_IDX\":\"1\"")
                .contains("\"ALIYUN_COM_GPU_MEM_ASSIGNED\":\"true\"");

        api.annotated("late", "Pending", Map.of(MEMORY, "6"), gpushare(1, 6, false));
        list("p", "late");
        assertThatThrownBy(() -> allocate(MEMORY, kubelet.healthy(MEMORY).subList(0, 6)))
                .hasMessageContaining("pod default/late")
                .hasMessageContaining("the cards allocated to the pod (" + B + ") are in use by other pods");
        api.annotated("lost", "Pending", Map.of(MEMORY, "7"), gpushare(2, 7, false));
        list("p", "late", "lost");
        assertThatThrownBy(() -> allocate(MEMORY, kubelet.healthy(MEMORY).subList(0, 7)))
                .hasMessageContaining("names card 2, which this node does not have");
    }

    @Test
    void aPodOfOurExtenderIsMarkedAsAssignedOnceItHasItsCard() throws Exception {
        cards(CARD_A, CARD_B);
        run();
        await().until(() -> kubelet.healthy(MEMORY).size() == 30);
        Map<String, String> annotations = gpushare(1, 3, false);
        annotations.put("gpushare.io/allocation", memoryOn(B, 3));
        api.annotated("p", "Pending", Map.of(MEMORY, "3"), annotations);
        list("p");
        allocate(MEMORY, preferred(MEMORY, 3));

        await().until(() -> api.podPatches().size() == 1);
        assertThat(api.podPatches().getFirst()).contains("\"ALIYUN_COM_GPU_MEM_ASSIGNED\":\"true\"", B + "\\\":3");
        assertThat(api.events()).isEmpty();
    }

    @Test
    void aPluginBesideGpusharesWaitsUntilThatOneIsStopped() throws Exception {
        cards(CARD_A);
        try (ServerSocketChannel gpushares = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            gpushares.bind(UnixDomainSocketAddress.of(dir.resolve("device-plugins/aliyungpushare.sock")));
            StartedProgram waiting = run();
            await().until(() -> log().contains("another device plugin serves these resources"));
            waiting.terminate();
            assertThat(waiting.exitCode()).isZero();

            run();
            await().until(() -> log().split("another device plugin", -1).length == 3);
            awaitLooks(gpushares);
            assertThat(kubelet.registrations()).isEmpty();
            assertThat(api.patches()).isEmpty();
        }
        // A plugin that was killed leaves its socket behind.
        await().until(() -> kubelet.healthy(MEMORY).size() == 15);
        await().until(() -> !api.patches().isEmpty());
    }

    /** The plugin that waits looks for the other one by connecting to it. */
    private static void awaitLooks(ServerSocketChannel other) throws IOException {
        other.configureBlocking(false);
        for (@Nullable SocketChannel earlier = other.accept(); earlier != null; earlier = other.accept()) {
            earlier.close();
        }
        other.configureBlocking(true);
        for (int look = 0; look < 3; look++) {
            other.accept().close();
        }
    }

    private static Map<String, String> gpushare(int index, int units, boolean assigned) {
        Map<String, String> annotations = new LinkedHashMap<>();
        annotations.put("ALIYUN_COM_GPU_MEM_IDX", String.valueOf(index));
        annotations.put("ALIYUN_COM_GPU_MEM_DEV", "15");
        annotations.put("ALIYUN_COM_GPU_MEM_POD", String.valueOf(units));
        annotations.put("ALIYUN_COM_GPU_MEM_ASSIGNED", String.valueOf(assigned));
        annotations.put("ALIYUN_COM_GPU_MEM_ASSUME_TIME", "1795188859314269638");
        return annotations;
    }

    /** pod-resources lists these pods with as many devices of gpushare's, whose UUID says nothing. */
    private void listGpushares(Map<String, Integer> pods) {
        var answer = ListPodResourcesResponse.newBuilder();
        pods.forEach((pod, units) -> {
            var container = answer.addPodResourcesBuilder()
                    .setNamespace("default")
                    .setName(pod)
                    .addContainersBuilder()
                    .setName("main");
            if (units > 0) {
                container
                        .addDevicesBuilder()
                        .setResourceName(MEMORY)
                        .addAllDeviceIds(IntStream.range(0, units)
                                .mapToObj(unit -> B + "-_-" + unit)
                                .toList());
            }
        });
        kubelet.podResources(answer.build());
    }
}
