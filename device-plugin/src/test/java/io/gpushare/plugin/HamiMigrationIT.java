package io.gpushare.plugin;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.simulated.program.StartedProgram;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A node that HAMi's device plugin served before, and pods that HAMi's scheduler binds to it. */
class HamiMigrationIT extends WholeProgram {
    private static final String SLOTS = "nvidia.com/gpu";
    private static final Map<String, String> REQUESTS = Map.of(SLOTS, "1", "nvidia.com/gpumem", "3000");

    @Test
    void onceHamisPluginIsStoppedItsPodsKeepTheirCards() throws Exception {
        cards(CARD_A, CARD_B);
        api.annotated("runs", "Running", REQUESTS, on(B, "success"));
        // A device of HAMi's plugin, which names another card.
        listRunning("runs", SLOTS, List.of(A + "::4"));
        try (ServerSocketChannel hami = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            hami.bind(UnixDomainSocketAddress.of(dir.resolve("device-plugins").resolve("nvidia-gpu.sock")));
            run("--hami");
            await().until(() -> log().contains("waiting until it is stopped"));
            assertThat(kubelet.devices(MEMORY)).isEmpty();
        }
        await().until(() -> kubelet.healthy(MEMORY).size() == 27);
        await().until(() -> kubelet.healthy(SLOTS).size() == 20);
        await().until(() -> kubelet.healthy(CARDS).equals(List.of(A)));
        await().until(() -> api.podPatches().size() == 1);
        assertThat(api.podPatches().getFirst())
                .startsWith("runs ")
                .contains(B + "\\\":3", "slots")
                .contains("\"hami.io/bind-phase\":\"success\"")
                .doesNotContain("vgpu", "ALIYUN");
        api.awaitEvent("GpuAllocationWritten", "keeps it");
        assertThat(api.patches().getLast()).contains("hami.io/node-nvidia-register", "\\\"count\\\":10");
    }

    @Test
    void aPodThatHamisSchedulerBoundGetsTheCardThatItChose() throws Exception {
        cards(CARD_A, CARD_B);
        run("--hami");
        await().until(() -> kubelet.healthy(SLOTS).size() == 20);
        api.annotated("p", "Pending", REQUESTS, on(B, "allocating"));
        list("p");
        await().until(() -> kubelet.healthy(CARDS).equals(List.of(A)));

        assertThat(allocate(SLOTS, List.of(A + "::s0")))
                .containsEntry("NVIDIA_VISIBLE_DEVICES", B)
                .containsEntry("CUDA_DEVICE_MEMORY_LIMIT_0", "3072m");
        await().until(() -> api.podPatches().size() == 1);
        assertThat(api.podPatches().getFirst())
                .contains("gpushare.io/allocation", "hami.io/vgpu-devices-allocated", B + ",NVIDIA,3072,0:;")
                .contains("\"hami.io/bind-phase\":\"success\"");
    }

    @Test
    void aPodThatWasRefusedIsMarkedSoThatHamisPluginPassesOverIt() throws Exception {
        cards(CARD_A);
        api.annotated("p", "Failed", REQUESTS, on(A, "allocating"));
        run("--hami");
        await().until(() -> api.podPatches().size() == 1);
        assertThat(api.podPatches().getFirst()).startsWith("p ").contains("{\"hami.io/bind-phase\":\"failed\"}");
    }

    @Test
    void aNodeThatOffersNoSlotsAnyMoreIsNotRegistered() throws Exception {
        cards(CARD_A);
        StartedProgram before = run("--hami");
        await().until(() -> api.patches().stream().anyMatch(patch -> patch.contains("hami.io/node-nvidia-register")));
        before.kill();
        int written = api.patches().size();
        run();
        await().until(() -> api.patches().size() > written);
        assertThat(api.patches().get(written)).contains("\"hami.io/node-nvidia-register\":null");
    }

    private static Map<String, String> on(String card, String phase) {
        return Map.of(
                "hami.io/vgpu-devices-allocated",
                card + ",NVIDIA,3000,0:;",
                "hami.io/vgpu-node",
                "n1",
                "hami.io/bind-phase",
                phase);
    }
}
