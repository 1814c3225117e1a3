package io.gpushare.plugin;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Cores on a node that can't limit them: never silently without a limit. */
class CoresIT extends WholeProgram {
    private static final String CORES = "aliyun.com/gpu-core.percentage";
    private static final String ON_A = "{\"version\":1,\"unitMiB\":1024,\"containers\":[{\"name\":\"main\","
            + "\"memory\":{\"" + A + "\":1},\"cores\":{\"" + A + "\":30}}]}";

    @Test
    void withoutMpsNoCoresAreOfferedAndPodsThatRequestThemAreRefused() throws Exception {
        cards(CARD_A);
        run("--core-resource=" + CORES, METRICS);
        await().until(() -> kubelet.registrations().size() == 3);
        await().until(() -> kubelet.healthy(MEMORY).size() == 15);
        await().until(() -> api.patches().stream().anyMatch(patch -> patch.contains("\\\"cores\\\":true")));
        assertThat(metrics())
                .contains("gpushare_card_cores_allocated_percent{card=\"" + A + "\",model=\"Tesla T4\"} 0.0");

        api.pod("annotated", "Pending", Map.of(MEMORY, "1", CORES, "30"), ON_A);
        list("annotated");
        assertThatThrownBy(() -> allocate(MEMORY, List.of(A + "::0")))
                .hasMessageContaining("pod default/annotated, container 'main': card " + A
                        + ", allocated to the pod, does not limit cores (isolation none is in force, and mps"
                        + " or hami-core is needed)");
        api.delete("annotated");
        api.pod("other", "Pending", Map.of(MEMORY, "1", CORES, "30"), "");
        list("other");
        assertThatThrownBy(() -> allocate(MEMORY, List.of(A + "::0")))
                .hasMessageContaining("No GPU card of the node limits cores");
        api.delete("other");
        api.pod("whole", "Pending", Map.of(CARDS, "1", CORES, "30"), "");
        list("whole");
        assertThatThrownBy(() -> allocate(CARDS, List.of(A)))
                .hasMessageContaining("a whole card has all its cores, request only one of them");
        await().untilAsserted(() -> assertThat(kubelet.healthy(CORES)).isEmpty());
    }

    @Test
    void withoutTheOptionTheResourceDoesNotExistAndAnnotatedCoresAreIgnored() throws Exception {
        cards(CARD_A);
        run();
        await().until(() -> kubelet.registrations().size() == 2);
        await().until(() -> kubelet.healthy(MEMORY).size() == 15);
        api.pod("p", "Pending", Map.of(MEMORY, "1", CORES, "30"), ON_A);
        list("p");
        assertThat(allocate(MEMORY, List.of(A + "::0")))
                .containsEntry("NVIDIA_VISIBLE_DEVICES", A)
                .doesNotContainKey("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE");
        assertThat(kubelet.registrations()).hasSize(2);
    }
}
