package io.gpushare.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Measured GPU memory of containers, in metrics and Events. */
@Tag("release")
class MeasuredUsageIT extends ClusterScenario {
    @Test
    void theUsageOfEachContainerIsMeasuredAndOneOverItsLimitGetsAnEvent() {
        pods.createMemory("greedy", 2);
        String card = cardOf(pods.running("greedy"), "main");
        pods.createMemory("modest", 3);
        assertThat(cardOf(pods.running("modest"), "main"))
                .as("both share a card")
                .isEqualTo(card);
        int at = indexOf(card);
        Instant shown = Instant.now();
        installation.cards(
                twoT4()[0],
                twoT4()[1],
                "process pid=%s card=%d memory=5GiB utilisation=60".formatted(processOf("greedy"), at),
                "process pid=%s card=%d memory=2GiB utilisation=20".formatted(processOf("modest"), at));

        Await.until(
                Duration.ofSeconds(30),
                "the pod over its limit has an Event",
                () -> events("greedy"),
                events -> events.contains("GpuMemoryOverUse"));
        System.out.println("e2e: usage over the limit reported after "
                + Duration.between(shown, Instant.now()).toMillis() + " ms");
        List<String> used = Await.until(
                Duration.ofSeconds(30),
                "the metrics have both containers",
                () -> metrics()
                        .lines()
                        .filter(line -> line.startsWith("gpushare_container_memory_used_bytes"))
                        .toList(),
                lines -> lines.size() == 2);
        used.forEach(line -> System.out.println("e2e: " + line));
        assertThat(used)
                .anyMatch(line -> line.contains("pod=\"greedy\"") && line.endsWith(" 5.36870912E9"))
                .anyMatch(line -> line.contains("pod=\"modest\"") && line.endsWith(" 2.147483648E9"));
        assertThat(events("modest")).doesNotContain("GpuMemoryOverUse");
    }

    /** The PID on the node of the pod's only container. */
    private static String processOf(String pod) {
        String id = pods.pod(pod)
                .at("/status/containerStatuses/0/containerID")
                .asText()
                .replaceFirst(".*//", "");
        String file = cluster.onNode("sh", "-c", "grep -l " + id + " /proc/[0-9]*/cgroup | head -n 1");
        return file.strip().replaceFirst("^/proc/", "").replaceFirst("/cgroup$", "");
    }

    /** The metrics of the node's plugin, through the API server. */
    private static String metrics() {
        String plugin = cluster.kubectl()
                .json("-n", Installation.NAMESPACE, "get", "pods", "-l", "component=gpu-share-device-plugin")
                .at("/items/0/metadata/name")
                .asText();
        return cluster.kubectl()
                .run("get", "--raw", "/api/v1/namespaces/kube-system/pods/" + plugin + ":9450/proxy/metrics");
    }
}
