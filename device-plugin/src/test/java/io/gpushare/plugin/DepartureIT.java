package io.gpushare.plugin;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.simulated.program.StartedProgram;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A planned end of the plugin: it is announced, and the pods that are bound to the node get their cards before it. */
class DepartureIT extends WholeProgram {
    private static final String LEAVING = "plugin_restarting";

    @Test
    void aPodThatWasBoundBeforeTheEndGetsItsCardAndTheNextPluginOpensTheNodeAgain() throws Exception {
        cards(CARD_A, CARD_B);
        StartedProgram running = run();
        await().until(() -> kubelet.healthy(MEMORY).size() == 30);
        await().until(() -> !api.patches().isEmpty());
        // A pod that the watch reports late: the plugin asks for it again and again.
        api.muteWatches();
        api.pod("p", "Pending", Map.of(MEMORY, "3"), memoryOn(B, 3));

        running.terminate();
        await().until(() -> api.patches().getLast().contains(LEAVING));
        int before = api.podLists();
        await().until(() -> api.podLists() > before + 3);
        assertThat(running.isAlive()).as("a pod waits").isTrue();
        // The announcement is not undone by a later change.
        assertThat(api.patches().getLast()).contains(LEAVING, A, B);
        list("p");
        List<String> ids = preferred(MEMORY, 3);
        assertThat(allocate(MEMORY, ids)).containsEntry("NVIDIA_VISIBLE_DEVICES", B);
        assertThat(running.exitCode()).isZero();
        assertThat(kubelet.registrations()).hasSize(2);

        run();
        await().until(() -> !api.patches().getLast().contains(LEAVING));
        assertThat(kubelet.registrations())
                .as("the node is opened again when the kubelet watches")
                .hasSize(4);
    }

    @Test
    void withoutWaitingPodsItTakesAMoment() throws Exception {
        cards(CARD_A);
        StartedProgram running = run();
        await().until(() -> kubelet.healthy(MEMORY).size() == 15);
        await().until(() -> !api.patches().isEmpty());

        running.terminate();
        assertThat(running.exitCode()).isZero();
        assertThat(api.patches().getLast()).contains(LEAVING);
        assertThat(log()).doesNotContain("have not got their cards");
    }

    @Test
    void aPodThatTheKubeletNeverAdmitsDelaysTheEndForTwentySeconds() throws Exception {
        cards(CARD_A);
        StartedProgram running = run();
        await().until(() -> kubelet.healthy(MEMORY).size() == 15);
        await().until(() -> !api.patches().isEmpty());
        api.pod("never", "Pending", Map.of(MEMORY, "3"), memoryOn(A, 3));

        running.terminate();
        await().until(() -> api.patches().getLast().contains(LEAVING));
        assertThat(running.isAlive()).isTrue();
        passTime(Duration.ofSeconds(20));
        assertThat(running.exitCode()).isZero();
        assertThat(log()).contains("these pods have not got their cards within 20 s: [default/never]");
    }
}
