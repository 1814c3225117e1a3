package io.gpushare.plugin;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpushare.simulated.kubelet.devices.CheckpointFile;
import io.gpushare.simulated.program.StartedProgram;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What the plugin counts after a restart: the kubelet's record, whatever the annotations say. */
class RestartIT extends WholeProgram {
    private static final String NVIDIA = "nvidia.com/gpu";
    private static final List<String> IDS = List.of(B + "::0", B + "::1", B + "::2");

    @Test
    void afterAnEditAndARestartTheCheckpointDecidesAndTheAnnotationIsCorrected() throws Exception {
        cards(CARD_A, CARD_B);
        StartedProgram before = run();
        record("p", admitted("p"));

        restart(before, () -> api.pod("p", "Running", Map.of(MEMORY, "3"), memoryOn(A, 3)));

        await().until(() -> kubelet.healthy(MEMORY).size() == 30);
        await().untilAsserted(() -> assertThat(kubelet.healthy(CARDS)).containsExactly(A));
        await().until(() -> !api.podPatches().isEmpty());
        assertThat(api.podPatches().getFirst()).startsWith("p ").contains(B).doesNotContain(A);
        await().until(() -> !api.events().isEmpty());
        assertThat(api.events().getFirst()).contains("GpuAllocationMended");
    }

    @Test
    void withoutACheckpointBothCardsAreHeldUntilOneIsWritten() throws Exception {
        cards(CARD_A, CARD_B);
        StartedProgram before = run();
        ContainerAllocateResponse response = admitted("p");

        restart(before, () -> api.pod("p", "Running", Map.of(MEMORY, "3"), memoryOn(A, 3)));

        await().until(() -> kubelet.healthy(MEMORY).size() == 27);
        await().untilAsserted(() -> assertThat(kubelet.healthy(CARDS)).isEmpty());
        await().until(() -> !api.events().isEmpty());
        assertThat(api.events().getFirst()).contains("GpuAllocationDoubtful", A);
        api.pod("q", "Pending", Map.of(CARDS, "1"), wholeCard(B));
        listRunning("p", MEMORY, IDS, "q");
        assertThatThrownBy(() -> allocate(CARDS, List.of(B))).hasMessageContaining("in use by other pods");
        assertThat(api.podPatches()).isEmpty();

        record("p", response);
        api.pod("gone", "Running", Map.of(MEMORY, "1"), "");
        api.delete("gone");
        await().until(() -> kubelet.healthy(CARDS).equals(List.of(A)));
        // The pod that is gone again may have been seen.
        await().until(() -> api.podPatches().stream().anyMatch(patch -> patch.startsWith("p ")));
        assertThat(api.podPatches())
                .filteredOn(patch -> patch.startsWith("p "))
                .first()
                .asString()
                .contains(B)
                .doesNotContain(A);
    }

    @Test
    void aCardTakenWholeUnderTheFormerResourceNameStaysTaken() throws Exception {
        cards(CARD_A, CARD_B);
        StartedProgram before = run();
        wholeAdmitted(CARDS);

        restart(before, () -> {}, "--card-resource=" + NVIDIA);

        await().until(() -> kubelet.healthy(NVIDIA).equals(List.of(A)));
        await().untilAsserted(
                        () -> assertThat(kubelet.healthy(MEMORY)).hasSize(15).allMatch(id -> id.startsWith(A)));
        api.pod("q", "Pending", Map.of(NVIDIA, "1"), wholeCard(B));
        listRunning("w", CARDS, List.of(B), "q");
        assertThatThrownBy(() -> allocate(NVIDIA, List.of(B))).hasMessageContaining("in use by other pods");
    }

    @Test
    void underAnotherFormerNameThePluginStartsOnceItIsNamed() throws Exception {
        cards(CARD_A, CARD_B);
        StartedProgram before = run("--card-resource=example.com/card");
        ContainerAllocateResponse response = wholeAdmitted("example.com/card");
        kubelet.checkpoint(new CheckpointFile.Entry("uid-w", "main", "example.com/card", Set.of(B), response));

        stop(before);
        StartedProgram refused = run("--card-resource=" + NVIDIA);
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(log()).contains("pod default/w has cards of resource example.com/card", "--former-card-resources");

        run("--card-resource=" + NVIDIA, "--former-card-resources=example.com/card");
        await().until(() -> kubelet.healthy(NVIDIA).equals(List.of(A)));
    }

    /** Admits pod {@code w} with card B. */
    private ContainerAllocateResponse wholeAdmitted(String resource) {
        await().until(() -> kubelet.healthy(resource).size() == 2);
        api.pod("w", "Pending", Map.of(resource, "1"), wholeCard(B));
        list("w");
        ContainerAllocateResponse response = response(resource, List.of(B));
        listRunning("w", resource, List.of(B));
        return response;
    }

    /** Admits a pod with 3 units of card B. */
    private ContainerAllocateResponse admitted(String pod) {
        await().until(() -> kubelet.healthy(MEMORY).size() == 30);
        api.pod(pod, "Pending", Map.of(MEMORY, "3"), memoryOn(B, 3));
        list(pod);
        ContainerAllocateResponse response = response(MEMORY, IDS);
        assertThat(response.getEnvsMap()).containsEntry("NVIDIA_VISIBLE_DEVICES", B);
        listRunning(pod, MEMORY, IDS);
        return response;
    }

    private void record(String pod, ContainerAllocateResponse response) throws Exception {
        kubelet.checkpoint(new CheckpointFile.Entry("uid-" + pod, "main", MEMORY, Set.copyOf(IDS), response));
    }

    private static void stop(StartedProgram running) throws Exception {
        running.terminate();
        assertThat(running.exitCode()).isZero();
    }

    private void restart(StartedProgram before, Runnable meanwhile, String... options) throws Exception {
        stop(before);
        int registrations = kubelet.registrations().size();
        meanwhile.run();
        run(options);
        await().until(() -> kubelet.registrations().size() == registrations + 2);
    }
}
