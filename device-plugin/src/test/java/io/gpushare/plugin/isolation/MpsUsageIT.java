package io.gpushare.plugin.isolation;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.simulated.program.StartedProgram;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The utilisation of containers that train on one card with MPS, where the driver reports it of the server only. */
class MpsUsageIT extends WholeProgramWithMps {
    @BeforeEach
    void describeCards() throws IOException {
        cards("driver version=580.159.04", CARD_A + " utilisation=65/20", CARD_B);
    }

    @Test
    void whoIsAloneHasTheFigureOfTheServerAndOfSeveralNoneHasOne() throws Exception {
        supervisor();
        StartedProgram plugin = runMps("--isolation=mps", METRICS);
        Map<String, String> a = started("a", 2);
        Map<String, String> b = started("b", 4);
        started("c", 1);
        list("a", "b", "c");
        Tenant first = trains("a", a, 40);
        awaitMetrics(figure("utilisation_ratio", "a") + "0.4", figure("utilisation_ratio", "b") + "0.0");

        Tenant second = trains("b", b, 25);
        awaitUnknown("a", "b");
        assertThat(metrics().lines())
                .contains(
                        figure("memory_used_bytes", "a") + (double) (500L << 20),
                        figure("memory_used_bytes", "b") + (double) (500L << 20),
                        figure("utilisation_ratio", "c") + "0.0",
                        "gpushare_card_utilisation_ratio{card=\"" + A + "\",model=\"Tesla T4\"} 0.65");

        // A plugin that restarts knows no more of them.
        plugin.kill();
        runMps("--isolation=mps", METRICS);
        list("a", "b", "c");
        awaitMetrics(figure("memory_used_bytes", "a") + (double) (500L << 20));
        awaitUnknown("a", "b");

        first.close();
        awaitMetrics(figure("utilisation_ratio", "b") + "0.25", figure("utilisation_ratio", "a") + "0.0");
        second.close();
        trains("a", a, 0);
        trains("b", b, 0);
        awaitMetrics(
                figure("memory_used_bytes", "b") + (double) (500L << 20),
                figure("utilisation_ratio", "a") + "0.0",
                figure("utilisation_ratio", "b") + "0.0");
        assertThat(api.events()).noneMatch(event -> event.contains("GpuUseWithoutAllocation"));
    }

    /** A program that computes so many percent of the time, in the pod's container. */
    private Tenant trains(String pod, Map<String, String> environment, int percent) throws IOException {
        Map<String, String> all = new HashMap<>(environment);
        all.put("GPUSHARE_SIMULATED_UTILISATION", String.valueOf(percent));
        return inContainer(pod, 100, tenant(all, 0, 500).prints("ok 500"));
    }

    private void awaitMetrics(String... lines) {
        await().untilAsserted(() -> assertThat(metrics().lines()).contains(lines));
    }

    private void awaitUnknown(String... pods) {
        await().untilAsserted(() -> assertThat(metrics().lines())
                .noneMatch(line -> List.of(pods).stream()
                        .anyMatch(pod -> line.startsWith(figure("utilisation_ratio", pod))
                                || line.startsWith(figure("idle_seconds", pod)))));
    }

    private static String figure(String name, String pod) {
        return "gpushare_container_" + name + "{card=\"" + A
                + "\",container=\"main\",model=\"Tesla T4\",namespace=\"default\",pod=\"" + pod + "\"} ";
    }
}
