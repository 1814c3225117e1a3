package io.gpushare.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A planned end of the plugin: it is announced, and the pods that are bound to the node get their cards before it. */
class DepartureIT extends WholeProgram {
    private static final String LEAVING = "plugin_restarting";

    @Test
    void aPodThatWasBoundBeforeTheEndGetsItsCardAndTheNextPluginOpensTheNodeAgain() throws Exception {
        cards(CARD_A, CARD_B);
        Process running = run();
        await().atMost(PATIENCE).until(() -> kubelet.healthy(MEMORY).size() == 30);
        await().atMost(PATIENCE).until(() -> !api.patches().isEmpty());
        api.pod("p", "Pending", Map.of(MEMORY, "3"), memoryOn(B, 3));

        running.destroy();
        await().atMost(PATIENCE).until(() -> api.patches().getLast().contains(LEAVING));
        assertThat(running.waitFor(4, TimeUnit.SECONDS))
                .as("the plugin ends although a pod waits")
                .isFalse();
        // The announcement is not undone by a later change.
        assertThat(api.patches().getLast()).contains(LEAVING, A, B);
        list("p");
        List<String> ids = preferred(MEMORY, 3);
        assertThat(allocate(MEMORY, ids)).containsEntry("NVIDIA_VISIBLE_DEVICES", B);
        assertThat(running.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(running.exitValue()).isZero();
        assertThat(kubelet.registrations()).hasSize(2);

        run();
        await().atMost(PATIENCE).until(() -> !api.patches().getLast().contains(LEAVING));
        assertThat(kubelet.registrations())
                .as("the node is opened again when the kubelet watches")
                .hasSize(4);
    }

    @Test
    void withoutWaitingPodsItTakesAMoment() throws Exception {
        cards(CARD_A);
        Process running = run();
        await().atMost(PATIENCE).until(() -> kubelet.healthy(MEMORY).size() == 15);
        await().atMost(PATIENCE).until(() -> !api.patches().isEmpty());

        running.destroy();
        assertThat(running.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(api.patches().getLast()).contains(LEAVING);
        assertThat(log()).doesNotContain("have not got their cards");
    }

    @Test
    void aPodThatTheKubeletNeverAdmitsDelaysTheEndForTwentySeconds() throws Exception {
        cards(CARD_A);
        Process running = run();
        await().atMost(PATIENCE).until(() -> kubelet.healthy(MEMORY).size() == 15);
        await().atMost(PATIENCE).until(() -> !api.patches().isEmpty());
        api.pod("never", "Pending", Map.of(MEMORY, "3"), memoryOn(A, 3));

        running.destroy();
        assertThat(running.waitFor(15, TimeUnit.SECONDS)).isFalse();
        assertThat(running.waitFor(15, TimeUnit.SECONDS)).isTrue();
        assertThat(log()).contains("these pods have not got their cards within 20 s: [default/never]");
    }
}
