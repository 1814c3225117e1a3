package io.gpushare.extender.view;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.running.RunningExtender;
import io.gpushare.extender.running.TestApiServer;
import io.gpushare.time.Clocks;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A pod that has waited for a while gets an Event with what helps. */
class WaitEventIT {
    private volatile Instant now = Instant.parse("2026-11-20T12:00:00Z");

    @Test
    void aPodThatWaitsIsToldOnceWhatHelps(@TempDir Path folder) throws Exception {
        try (TestApiServer api = new TestApiServer()) {
            api.node("n1", TestApiServer.TWO_T4);
            for (String model : new String[] {"NVIDIA A2", "NVIDIA L4", "Tesla P4"}) {
                api.node(
                        model.replace(' ', '-').toLowerCase(Locale.ROOT),
                        TestApiServer.TWO_T4.replace("Tesla T4", model).replace("15360", "8192"));
            }
            api.pod("big", "uid-big", new JsonObject(Map.of("aliyun.com/gpu-mem", "20")));
            api.refused("big");
            try (RunningExtender extender =
                    new RunningExtender(api.kubeconfig(folder), 1 << 20, new Clocks(() -> now, () -> now)).ready()) {
                await().until(() -> !extender.ledger.state().waitingPods().isEmpty());
                // The first round sees the pod, and time is passed in.
                await().pollInterval(Duration.ofMillis(200)).until(() -> {
                    now = now.plusSeconds(21);
                    return !api.eventsOf("big").isEmpty();
                });
                // It is due again, if it is told more than once, in a round before that of the next one.
                api.pod("next", "uid-next", new JsonObject(Map.of("aliyun.com/gpu-mem", "20")));
                api.refused("next");
                now = now.plusSeconds(3600);
                await().pollInterval(Duration.ofMillis(200)).until(() -> {
                    now = now.plusSeconds(21);
                    return !api.eventsOf("next").isEmpty();
                });
                assertThat(api.eventsOf("big"))
                        .singleElement()
                        .asString()
                        .contains("1 node with Tesla T4: too small: one card has 15 GiB, 20 GiB needed")
                        .contains("; and 2 more. ")
                        .contains("split its memory over them: annotation gpushare.io/cards: \"2\"");
            }
        }
    }
}
