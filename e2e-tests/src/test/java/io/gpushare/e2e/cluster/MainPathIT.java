package io.gpushare.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** The main path: pods that request GPU memory or whole cards run on the cards of their annotations. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class MainPathIT extends ClusterScenario {
    @Test
    @Order(0)
    void bothProgramsStartFromTheirImagesWithNothingMoreThanTheManifests() {
        assertThat(shared.logWithoutDriver()).contains("no cards to offer");
        String sizes = installation.sizes();
        System.out.println("e2e: " + sizes.replace("\n", "\ne2e: "));
        assertThat(sizes)
                .contains("device-plugin-")
                .contains("scheduler-extender-")
                .contains("VmRSS");
        JsonNode restarts = cluster.kubectl().json("-n", Installation.NAMESPACE, "get", "pods");
        assertThat(restarts.findValuesAsText("restartCount")).containsOnly("0");
    }

    @Test
    @Order(1)
    void aDeploymentThatRequestsOneUnitRunsOnTheCardOfItsAnnotation() throws IOException {
        gpu1RunsOnItsCard();
    }

    @Test
    @Order(2)
    void freeMemoryOnTwoCardsDoesNotServeAPodThatNeedsItOnOne() {
        pods.createMemory("eight-a", 8);
        pods.createMemory("eight-b", 8);
        pods.running("eight-a");
        pods.running("eight-b");
        assertThat(cardOf("eight-a", "main")).isNotEqualTo(cardOf("eight-b", "main"));
        pods.createMemory("ten", 10);
        pods.refused("ten", "Insufficient GPU Memory in one device");
    }

    @Test
    @Order(3)
    void aCardServesMemoryOrIsTakenWhole() {
        pods.createMemory("memory", 3);
        pods.running("memory");
        allocatable(30, 1);
        pods.createWhole("whole", 1);
        pods.running("whole");
        assertThat(pods.sees("whole", "main"))
                .isEqualTo(cardOf("whole", "main"))
                .isNotEqualTo(cardOf("memory", "main"));
        allocatable(15, 1);
        pods.createWhole("waiting", 1);
        pods.refused("waiting", "Insufficient aliyun.com/gpu-count");
        pods.delete("memory");
        pods.running("waiting");
        assertThat(pods.sees("waiting", "main"))
                .isEqualTo(cardOf("waiting", "main"))
                .isNotEqualTo(cardOf("whole", "main"));
    }

    @Test
    @Order(4)
    void bothContainersOfAPodSeeItsOneCard() {
        cluster.kubectl().apply(pods.manifest("two", Map.of("first", MEMORY + ": 3", "second", MEMORY + ": 4")));
        pods.running("two");
        assertThat(pods.sees("two", "first"))
                .isEqualTo(cardOf("two", "first"))
                .isEqualTo(cardOf("two", "second"))
                .isEqualTo(pods.sees("two", "second"));
    }

    @Test
    @Order(5)
    void aBurstOfEqualPodsHasNoSwaps() {
        StringBuilder burst = new StringBuilder();
        for (int i = 0; i < 30; i++) {
            burst.append(pods.manifest("burst-" + i, Map.of("main", MEMORY + ": 1")));
        }
        cluster.kubectl().apply(burst.toString());
        Await.until(
                Duration.ofMinutes(4),
                "30 pods run",
                pods::all,
                all -> all.size() == 30 && all.valueStream().allMatch(Pods::ready));
        Map<String, Set<String>> devices = KubeletPodResources.devices(cluster.podResourcesSocket(), "default", MEMORY);
        Set<String> cards = new TreeSet<>();
        for (int i = 0; i < 30; i++) {
            String pod = "burst-" + i;
            String card = cardOf(pod, "main");
            cards.add(card);
            assertThat(pods.sees(pod, "main")).as("the card that %s sees", pod).isEqualTo(card);
            assertThat(devices.get(pod + "/main"))
                    .as("the kubelet's devices of %s", pod)
                    .singleElement()
                    .asString()
                    .startsWith(card + "::");
        }
        assertThat(cards).hasSize(2);
    }

    @Test
    @Order(6)
    void aMemoryPodOfTwoCardsSeesBothOfThem() {
        cluster.kubectl()
                .apply(pods.manifest("pair", Map.of("gpushare.io/cards", "2"), Map.of("main", MEMORY + ": 20")));
        pods.running("pair");
        assertThat(pods.sees("pair", "main").split(",")).containsExactlyInAnyOrderElementsOf(placeable());
        pods.createMemory("six", 6);
        pods.refused("six", "Insufficient GPU Memory in one device");
    }

    /** The healthy cards. */
    private static List<String> placeable() {
        return inventory()
                .valueStream()
                .filter(card -> !card.has("unhealthy"))
                .map(card -> card.path("uuid").asText())
                .toList();
    }

    @Test
    @Order(7)
    @SuppressWarnings("JUnitMethodInvoked") // Repeats the scenarios with another scheduler configuration.
    void gpusharesOldPolicyFileStillWorks() throws IOException {
        needs("policy-file");
        cluster.useLegacyPolicy(ROOT.resolve("deploy/scheduler/policy.json"));
        try {
            gpu1RunsOnItsCard();
            clean();
            freeMemoryOnTwoCardsDoesNotServeAPodThatNeedsItOnOne();
            clean();
            aCardServesMemoryOrIsTakenWhole();
            clean();
            bothContainersOfAPodSeeItsOneCard();
        } finally {
            clean();
            cluster.configureScheduler(ROOT.resolve("deploy/scheduler"));
        }
    }

    private void gpu1RunsOnItsCard() throws IOException {
        String sample = Files.readString(ROOT.resolve("deploy/samples/deployment-gpu-1.yaml"));
        String image = sample.lines()
                .filter(line -> line.contains("image:"))
                .findFirst()
                .orElseThrow()
                .replaceFirst(".*image: *", "");
        cluster.kubectl().apply(sample.replace(image, cluster.workloadImage()).replace("infinity", "100000"));
        JsonNode pod = Await.until(
                        Duration.ofSeconds(60),
                        "gpu-1 runs",
                        pods::all,
                        all -> all.size() == 1 && Pods.ready(all.get(0)))
                .get(0);
        String name = pod.at("/metadata/name").textValue();
        assertThat(pods.sees(name, "gpu-1")).isEqualTo(cardOf(pod, "gpu-1")).startsWith("GPU-");
        assertThat(pod.at("/metadata/annotations/ALIYUN_COM_GPU_MEM_POD").textValue())
                .isEqualTo("1");
    }
}
