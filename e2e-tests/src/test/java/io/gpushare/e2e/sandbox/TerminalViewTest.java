package io.gpushare.e2e.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.e2e.sandbox.ClusterSnapshot.Placed;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.PodDocument;
import java.util.List;
import org.junit.jupiter.api.Test;

class TerminalViewTest {
    @Test
    void whyPodsWaitIsOneColumn() {
        assertThat(TerminalView.drawing(
                        new ClusterSnapshot(List.of(), List.of(waiting("train-with-logger"), waiting("too-big"))),
                        List.of()))
                .endsWith("""

                    waiting
                      train-with-logger  0/5 nodes are available.
                      too-big            0/5 nodes are available.
                    """);
    }

    private static Placed waiting(String name) {
        return new Placed(new PodDocument(ApiClient.document("""
            {"metadata":{"name":"%s"},
             "status":{"conditions":[
               {"type":"PodScheduled","status":"False","message":"0/5 nodes are available."}]}}\
            """.formatted(name))), List.of());
    }
}
