package io.gpushare.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Pods that request cards in HAMi's words share a node, and a card, with others. Units are of 256 MiB. {@code
 * -Dgpushare.pods=…} sets another number of short pods than 48.
 */
class HamiIT extends ClusterScenario {
    private static final String GPU = "nvidia.com/gpu";
    private static final int UNITS = 60;
    private static final int SHORT_PODS = Integer.getInteger("gpushare.pods", 48);
    private static final Duration SHORT_PODS_END = Duration.ofSeconds(120 + 3L * SHORT_PODS);

    @BeforeAll
    static void withHami() {
        shared.reinstallNext();
        installation.withHami("256MiB");
        offers(2 * UNITS, 2, 20);
    }

    @AfterAll
    static void withoutHami() {
        pods.deleteEverything();
        cluster.configureScheduler(ROOT.resolve("deploy/scheduler"));
    }

    @AfterEach
    @Override
    public void clean() {
        pods.deleteEverything();
        installation.cards(twoT4());
        offers(2 * UNITS, 2, 20);
    }

    @Test
    void allThreeVocabulariesShareOneCardAndCapacityAddsUp() {
        pods.createMemory("two-gib", 8);
        JsonNode first = pods.running("two-gib");
        String card = cardOf(first, "main");
        offers(2 * UNITS, 1, 20);

        create("five-gib", card, GPU + ": 1, nvidia.com/gpumem: 5120, nvidia.com/gpucores: 30");
        create("half", card, GPU + ": 1, nvidia.com/gpumem-percentage: 54");
        assertThat(cardOf(pods.running("five-gib"), "main")).isEqualTo(card);
        assertThat(cardOf(pods.running("half"), "main")).isEqualTo(card);
        assertThat(printed("five-gib")).isEqualTo(card + " 5120m 30");
        assertThat(printed("half")).isEqualTo(card + " 8192m");
        // The card is full: only the two slots in use are left of it, and of the memory what two-gib has.
        offers(8 + UNITS, 1, 10 + 2);

        create("whole", "", GPU + ": 1");
        String other = cardOf(pods.running("whole"), "main");
        assertThat(other).isNotEqualTo(card);
        assertThat(printed("whole")).isEqualTo(other);
        offers(8, 0, 2 + 1);
        create("more", "", GPU + ": 1, nvidia.com/gpumem: 256");
        pods.refused("more", "Insufficient nvidia.com/gpu");

        pods.delete("whole");
        pods.running("more");
        pods.delete("more", "half");
        offers(2 * UNITS - 20, 1, 20);
        pods.delete("five-gib");
        offers(2 * UNITS, 1, 20);
    }

    @Test
    void aPodOfSeveralContainersAndCardsSeesItsOwn() {
        cluster.kubectl()
                .apply(pods.manifest(
                        "pair",
                        Map.of(
                                "both", GPU + ": 2, nvidia.com/gpumem: 2048",
                                "large", GPU + ": 1, nvidia.com/gpumem-percentage: 80")));
        JsonNode pair = pods.running("pair");
        assertThat(pods.sees("pair", "both").split(",")).hasSize(2);
        assertThat(pods.sees("pair", "large")).isEqualTo(cardOf(pair, "large"));
        offers(2 * UNITS - 8 - 8 - 48, 0, 20);
    }

    @Test
    void percentagesThatAddUpToACardShareIt() {
        create("forty", "", GPU + ": 1, nvidia.com/gpumem-percentage: 40, nvidia.com/gpucores: 60");
        String card = cardOf(pods.running("forty"), "main");
        create("sixty", card, GPU + ": 1, nvidia.com/gpumem-percentage: 60, nvidia.com/gpucores: 40");
        assertThat(cardOf(pods.running("sixty"), "main")).isEqualTo(card);
        assertThat(printed("forty")).isEqualTo(card + " 6144m 60");
        assertThat(printed("sixty")).isEqualTo(card + " 9216m 40");
        // The memory of both is withdrawn with their slots.
        offers(UNITS, 1, 10 + 2);
    }

    @Test
    void whatCannotBeIsAnsweredWithASentence() {
        create("no-gpu", "", "nvidia.com/gpumem: 3000");
        pods.refused("no-gpu", "requests nvidia.com/gpumem and no nvidia.com/gpu: add nvidia.com/gpu: 1");
        create("too-much", "", GPU + ": 1, nvidia.com/gpumem-percentage: 101");
        pods.refused("too-much", "write 1 to 100");
        create("too-large", "", GPU + ": 1, nvidia.com/gpumem: 16000");
        pods.refused("too-large", "No card is large enough");
        create("both", "", GPU + ": 1, " + MEMORY + ": 3");
        pods.refused("both", "request its cards in only one of them");
        create("seventeen", "", GPU + ": 17");
        pods.refused("seventeen", "The node has fewer GPU cards than the pod requests");
    }

    @Tag("release")
    @Test
    void shortPodsOfAllKindsLeaveNoCardOverCommitted() {
        List<String> kinds = List.of(
                MEMORY + ": 12",
                GPU + ": 1, nvidia.com/gpumem: 3000",
                GPU + ": 1, nvidia.com/gpumem-percentage: 30",
                "aliyun.com/gpu-count: 1",
                GPU + ": 1",
                GPU + ": 2, nvidia.com/gpumem: 1000");
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < SHORT_PODS; i++) {
            all.append(pods.manifest("short-" + i, Map.of("main", kinds.get(i % kinds.size())))
                    .replace("exec sleep 100000", "sleep 1")
                    .replace("spec:\n", "spec:\n  restartPolicy: Never\n"));
        }
        cluster.kubectl().apply(all.toString());
        JsonNode ended = Await.until(
                SHORT_PODS_END,
                SHORT_PODS + " pods end",
                pods::all,
                now -> now.valueStream()
                        .allMatch(pod -> List.of("Succeeded", "Failed")
                                .contains(pod.at("/status/phase").asText())));
        assertThat(ended)
                .hasSize(SHORT_PODS)
                .allSatisfy(pod -> assertThat(pod.at("/status/phase").asText())
                        .as("%s", pod.at("/status"))
                        .isEqualTo("Succeeded"));
        assertThat(mostOfACard(ended)).isBetween(UNITS / 2, UNITS);
    }

    /** The most units of one card that containers had at one time, by their annotations and the kubelet's times. */
    private static int mostOfACard(JsonNode ended) {
        Map<String, TreeMap<Instant, Integer>> changes = new HashMap<>();
        for (JsonNode pod : ended) {
            JsonNode state = pod.at("/status/containerStatuses/0/state/terminated");
            List<Instant> times = new ArrayList<>(List.of(
                    Instant.parse(state.path("startedAt").asText()),
                    Instant.parse(state.path("finishedAt").asText())));
            unitsByCard(pod).forEach((card, units) -> {
                TreeMap<Instant, Integer> of = changes.computeIfAbsent(card, _ -> new TreeMap<>());
                // The kubelet writes whole seconds: a container that ended in one gave its card to one that started.
                of.merge(times.getFirst(), units, Integer::sum);
                of.merge(times.getLast(), -units, Integer::sum);
            });
        }
        return changes.values().stream()
                .mapToInt(of -> {
                    int[] sums = of.values().stream().mapToInt(change -> change).toArray();
                    return IntStream.rangeClosed(1, sums.length)
                            .map(count -> IntStream.of(sums).limit(count).sum())
                            .max()
                            .orElse(0);
                })
                .max()
                .orElse(0);
    }

    private static Map<String, Integer> unitsByCard(JsonNode pod) {
        Map<String, Integer> units = new HashMap<>();
        JsonNode container = allocation(pod).at("/containers/0");
        container
                .path("memory")
                .propertyStream()
                .forEach(card -> units.put(card.getKey(), card.getValue().intValue()));
        container.path("cards").valueStream().forEach(card -> units.put(card.asText(), UNITS));
        return units;
    }

    private static void create(String name, String card, String limits) {
        Map<String, String> select = card.isEmpty() ? Map.of() : Map.of("nvidia.com/use-gpuuuid", card);
        cluster.kubectl()
                .apply(pods.manifest(name, select, Map.of("main", limits))
                        .replace(
                                "echo card: $NVIDIA_VISIBLE_DEVICES;",
                                "echo card: $NVIDIA_VISIBLE_DEVICES $CUDA_DEVICE_MEMORY_LIMIT_0"
                                        + " $CUDA_DEVICE_SM_LIMIT;"));
    }

    private static String printed(String pod) {
        return pods.sees(pod, "main");
    }

    private static void offers(int units, int cards, int slots) {
        Await.until(
                NODE_STATUS,
                "the node offers " + units + " units, " + cards + " cards and " + slots + " slots",
                () -> allocatable() + ", "
                        + cluster.kubectl()
                                .json("get", "node", cluster.node())
                                .at("/status/allocatable/nvidia.com~1gpu")
                                .asText()
                        + " slots",
                now -> now.equals(units + " units, " + cards + " cards, " + slots + " slots"));
    }
}
