package io.gpushare.plugin;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpushare.simulated.program.StartedProgram;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Pods of tenants who want to end the plugin, which has the heap of its image. */
class HostilePodsIT extends WholeProgram {
    /** The API server accepts 256 KiB of annotations on each object. */
    private static final String LONG = "x".repeat(250_000);

    private static final int PODS = 300;

    @Test
    void annotationsOfAnyLengthDoNotFillTheHeap() throws Exception {
        cards(CARD_A, CARD_B);
        for (int i = 0; i < PODS; i++) {
            String key = List.of("example.com/notes", "gpushare.io/x", "gpushare.io/select")
                    .get(i % 3);
            api.annotated("listed-" + i, "Running", Map.of("cpu", "1"), Map.of(key, LONG));
        }
        StartedProgram running = run();
        await().until(() -> !running.isAlive() || kubelet.healthy(MEMORY).size() == 30);
        for (int i = 0; i < PODS; i++) {
            api.annotated("watched-" + i, "Running", Map.of("cpu", "1"), Map.of("gpushare.io/allocation", LONG));
        }
        api.pod("p", "Pending", Map.of(MEMORY, "3"), memoryOn(B, 3));
        list("p");
        await().until(() -> !running.isAlive() || kubelet.healthy(CARDS).equals(List.of(A)));
        assertThat(running.isAlive()).as(log()).isTrue();
    }

    @Test
    void completedPodsDoNotFillTheHeap() throws Exception {
        cards(CARD_A, CARD_B);
        for (int i = 0; i < 8_000; i++) {
            api.annotated(
                    "done-" + i,
                    "Succeeded",
                    Map.of(MEMORY, "1"),
                    Map.of("gpushare.io/allocation", memoryOn(A, 1), "example.com/notes", "x".repeat(5_000)));
        }
        StartedProgram running = run();
        await().until(() -> !running.isAlive() || kubelet.healthy(MEMORY).size() == 30);
        assertThat(running.isAlive()).as(log()).isTrue();
    }

    @Test
    void anAnnotationThatIsTooLongIsTheReasonOfTheRefusal() throws Exception {
        cards(CARD_A, CARD_B);
        run();
        await().until(() -> kubelet.healthy(MEMORY).size() == 30);
        api.annotated("p", "Pending", Map.of(MEMORY, "3"), Map.of("gpushare.io/select", LONG));
        list("p");
        assertThatThrownBy(() -> allocate(MEMORY, List.of(A + "::0", A + "::1", A + "::2")))
                .hasMessageContaining("annotation gpushare.io/select has more than 4096 characters");
    }
}
