package io.gpushare.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Memory pods share MIG instances, others take them whole by NVIDIA's names, beside a full card on one node. */
class MigIT extends ClusterScenario {
    private static final String FULL = "card kind=H100-80 uuid-seed=full";
    private static final String CUT = "card kind=H100-80 uuid-seed=cut mig=";
    private static final List<String> PROFILES = List.of("3g.40gb", "2g.20gb", "1g.10gb");

    @BeforeAll
    static void withProfiles() {
        shared.reinstallNext();
        cluster.configureScheduler(schedulerWithProfiles());
    }

    @AfterAll
    static void withoutProfiles() {
        pods.deleteEverything();
        cluster.configureScheduler(ROOT.resolve("deploy/scheduler"));
    }

    @AfterEach
    @Override
    void clean() {
        pods.deleteEverything();
        installation.cards(TWO_T4);
        allocatable(30, 2);
    }

    @Test
    void memoryPodsShareAnInstanceOthersTakeOneWholeAndAWholeCardPodGetsTheFullCard() {
        installation.cards(FULL, CUT + "3g.40gb,2g.20gb,1g.10gb,1g.10gb");
        offers(79 + 39 + 19 + 9 + 9, 1, 1, 1, 2);

        create("a", "profile = 3g.40gb", MEMORY + ": 10");
        create("b", "profile = 3g.40gb", MEMORY + ": 20");
        String large = cardOf(pods.running("a"), "main");
        assertThat(cardOf(pods.running("b"), "main")).isEqualTo(large).startsWith("MIG-");
        assertThat(pods.sees("a", "main")).isEqualTo(large);
        offers(155, 1, 0, 1, 2);

        create("two", "", "nvidia.com/mig-2g.20gb: 1");
        String two = cardOf(pods.running("two"), "main");
        assertThat(profileOf(two)).isEqualTo("2g.20gb");
        assertThat(pods.sees("two", "main")).isEqualTo(two);
        offers(155 - 19, 1, 0, 1, 2);

        create("whole", "", "aliyun.com/gpu-count: 1");
        String full = cardOf(pods.running("whole"), "main");
        assertThat(full).startsWith("GPU-");
        assertThat(pods.sees("whole", "main")).isEqualTo(full);
        offers(155 - 19 - 79, 1, 0, 1, 2);

        create("more", "", "nvidia.com/mig-3g.40gb: 1");
        pods.refused("more", "Insufficient nvidia.com/mig-3g.40gb");
        pods.delete("a", "b");
        assertThat(cardOf(pods.running("more"), "main")).isEqualTo(large);
        offers(155 - 19 - 79 - 39, 1, 1, 1, 2);
        pods.delete("two", "whole", "more");
        offers(155, 1, 1, 1, 2);
    }

    @Test
    void anotherCutLosesNoCardAndThePodOnARemovedInstanceGetsAnEvent() {
        installation.cards(FULL, CUT + "3g.40gb,1g.10gb");
        offers(79 + 39 + 9, 1, 1, 0, 1);
        create("p", "", "nvidia.com/mig-3g.40gb: 1");
        String before = cardOf(pods.running("p"), "main");

        installation.cards(FULL, CUT + "2g.20gb,2g.20gb,1g.10gb mig-seed=again");
        offers(79 + 19 + 19 + 9, 1, 0, 2, 1);
        Await.until(NODE_STATUS, "an Event", () -> events("p"), all -> all.contains("GpuInstanceRemoved"));
        assertThat(inventory().valueStream().map(card -> card.path("uuid").asText()))
                .hasSize(4)
                .doesNotContain(before);
        create("next", "", "nvidia.com/mig-2g.20gb: 1");
        assertThat(profileOf(cardOf(pods.running("next"), "main"))).isEqualTo("2g.20gb");
        pods.delete("p", "next");
        offers(79 + 19 + 19 + 9, 1, 0, 2, 1);
    }

    private static void create(String name, String select, String limits) {
        Map<String, String> annotations = select.isEmpty() ? Map.of() : Map.of("gpushare.io/select", select);
        cluster.kubectl().apply(pods.manifest(name, annotations, Map.of("main", limits)));
    }

    private static String profileOf(String uuid) {
        return inventory()
                .valueStream()
                .filter(card -> card.path("uuid").asText().equals(uuid))
                .map(card -> card.path("profile").asText())
                .collect(Collectors.joining());
    }

    /** Waits until the node offers these amounts; the instances are those of each profile, in order. */
    private static void offers(int units, int cards, int... instances) {
        String expected = units + " units, " + cards + " cards";
        for (int i = 0; i < instances.length; i++) {
            expected += ", " + instances[i] + " " + PROFILES.get(i);
        }
        Await.until(NODE_STATUS, "the node offers " + expected, MigIT::offered, expected::equals);
    }

    private static String offered() {
        JsonNode node = cluster.kubectl().json("get", "node", cluster.node()).at("/status/allocatable");
        return PROFILES.stream()
                .map(profile -> ", " + node.path("nvidia.com/mig-" + profile).asInt() + " " + profile)
                .collect(Collectors.joining("", allocatable(), ""));
    }

    /** The configuration files with the names of the profiles. */
    private static Path schedulerWithProfiles() {
        try (Stream<Path> files = Files.list(ROOT.resolve("deploy/scheduler"))) {
            Path folder = Files.createTempDirectory("mig");
            String names = PROFILES.stream()
                    .map(profile -> "      - name: nvidia.com/mig-" + profile + "\n        ignoredByScheduler: false\n")
                    .collect(Collectors.joining());
            for (Path file : files.filter(name -> name.getFileName().toString().startsWith("config-"))
                    .toList()) {
                Files.writeString(
                        folder.resolve(file.getFileName()),
                        Files.readString(file).replace("    managedResources:\n", "    managedResources:\n" + names));
            }
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException("can't write the scheduler's configuration", e);
        }
    }
}
