package io.gpushare.plugin.node.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.PodRef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RebootReporterTest {
    private static final String MEMORY = "aliyun.com/gpu-mem";
    private static final String UNHEALTHY =
            "Pod was rejected: Allocate failed due to no healthy devices present; cannot allocate unhealthy devices "
                    + MEMORY + ", which is unexpected";

    @TempDir
    private Path proc;

    private List<String> rejected(String uptime, String message) throws IOException {
        Files.writeString(proc.resolve("uptime"), uptime);
        List<String> events = new ArrayList<>();
        new RebootReporter(
                        proc,
                        Set.of(MEMORY),
                        (about, event) -> events.add(about + ": " + event.reason() + ": " + event.message()))
                .rejected(new PodRef("u", "default", "p"), message);
        return events;
    }

    @Test
    void aPodThatWasRejectedSoonAfterTheBootGetsAnExplanation() throws IOException {
        for (String message : List.of(
                UNHEALTHY,
                "Pod was rejected: Allocate failed due to cannot allocate unregistered device " + MEMORY,
                "Pod was rejected: Allocate failed due to requested number of devices unavailable for " + MEMORY
                        + ". Requested: 3, Available: 0, which is unexpected")) {
            assertThat(rejected("42.50 80.10\n", message))
                    .containsExactly("pod default/p: GpuPodNotAdmitted: The kubelet did not admit it: " + message
                            + ". The device plugin was not registered at that time. After a reboot of its node, the"
                            + " kubelet admits pods before a device plugin can register. The kubelet does not try"
                            + " again. A controller creates another pod; a pod without one has to be created again.");
        }
    }

    @Test
    void otherRejectionsGetNone() throws IOException {
        assertThat(rejected("90000.00 1.00\n", UNHEALTHY))
                .as("long after the boot")
                .isEmpty();
        assertThat(rejected("?", UNHEALTHY)).isEmpty();
        assertThat(rejected("42.50 1.00\n", UNHEALTHY.replace(MEMORY, "nvidia.com/gpu")))
                .isEmpty();
        assertThat(rejected("42.50 1.00\n", "Pod was rejected: Allocate failed due to rpc error of " + MEMORY))
                .isEmpty();
    }
}
