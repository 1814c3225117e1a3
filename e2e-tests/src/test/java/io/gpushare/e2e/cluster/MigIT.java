package io.gpushare.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Memory pods share MIG instances, others take them whole by NVIDIA's names, beside a full card on one node. */
@Tag("release")
class MigIT extends ClusterScenario {
    private static final String FULL = "card kind=H100-80 uuid-seed=full";
    private static final String CUT = "card kind=H100-80 uuid-seed=cut mig=";

    /** Both cards, and the caps of the first instances of 3 slices and of 1 of the second. */
    private static final String FILES = "nvidiactl nvidia-uvm nvidia-uvm-tools nvidia0 nvidia1"
        + " nvidia-caps/nvidia-cap147 nvidia-caps/nvidia-cap148 nvidia-caps/nvidia-cap201 nvidia-caps/nvidia-cap202";

    private static final String DEVICE_FILES = """
        set -e
        cd /dev
        mkdir -p nvidia-caps
        for file in FILES; do
            [ -e $file ] || mknod -m 666 $file c 1 3
        done\
        """.replace("FILES", FILES);

    private static final String NO_DEVICE_FILES = """
        cd /dev
        for file in FILES; do
            [ "$(stat -c %t:%T $file)" != 1:3 ] || rm $file
        done
        rmdir nvidia-caps || true\
        """.replace("FILES", FILES);

    private static final String CDI_SPEC = """
        mkdir -p /run/cdi
        cat >/run/cdi/nvidia.json <<'END'
        {"cdiVersion": "0.5.0", "kind": "nvidia.com/gpu",
         "devices": [{"name": "UUID", "containerEdits": {"env": ["CDI=UUID"]}}]}
        END\
        """;

    private static final List<String> PROFILES = List.of("3g.40gb", "2g.20gb", "1g.10gb");

    @BeforeAll
    static void withProfiles() {
        shared.reinstallNext();
        cluster.configureScheduler(installation.scheduler(PROFILES));
    }

    @AfterAll
    static void withoutProfiles() {
        pods.deleteEverything();
        cluster.onNode("rm", "-f", "/run/cdi/nvidia.json");
        cluster.configureScheduler(ROOT.resolve("deploy/scheduler"));
    }

    @AfterEach
    @Override
    public void clean() {
        pods.deleteEverything();
        installation.cards(twoT4());
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
        assertThat(healthy()).hasSize(4).doesNotContain(before);
        create("waits", "", "nvidia.com/mig-3g.40gb: 1");
        pods.refused("waits", "Insufficient nvidia.com/mig-3g.40gb");
        create("next", "", "nvidia.com/mig-2g.20gb: 1");
        assertThat(profileOf(cardOf(pods.running("next"), "main"))).isEqualTo("2g.20gb");
        pods.delete("p", "next", "waits");
        offers(79 + 19 + 19 + 9, 1, 0, 2, 1);
    }

    @Test
    void anXidOfAnInstanceLeavesTheOthersAndOneOfTheCardDoesNot() {
        installation.cards(FULL, CUT + "3g.40gb,1g.10gb");
        offers(79 + 39 + 9, 1, 1, 0, 1);
        installation.cards(FULL, CUT + "3g.40gb,1g.10gb xid=79#1@1");
        offers(79 + 39, 1, 1, 0, 0);
        installation.cards(FULL, CUT + "3g.40gb,1g.10gb xid=79#1@1,79#2");
        offers(79, 1, 0, 0, 0);
    }

    @Test
    void aCordonOfAnInstanceIsItsOwnAndOneOfTheCardIsForAllItsInstances() {
        installation.cards(FULL, CUT + "3g.40gb,1g.10gb");
        offers(79 + 39 + 9, 1, 1, 0, 1);
        JsonNode small = inventory()
                .valueStream()
                .filter(card -> card.path("profile").asText().equals("1g.10gb"))
                .findFirst()
                .orElseThrow();
        cordon("=" + small.path("uuid").asText());
        offers(79 + 39, 1, 1, 0, 0);
        cordon("=" + small.path("parent").asText());
        offers(79, 1, 0, 0, 0);
        cordon("-");
        offers(79 + 39 + 9, 1, 1, 0, 1);
    }

    /** The pod of NVIDIA's documentation of the strategy "mixed", with another image. */
    @Test
    void aManifestForNvidiasPluginRunsUnchanged() {
        installation.cards(FULL, CUT + "3g.40gb,1g.10gb,1g.10gb");
        offers(79 + 39 + 9 + 9, 1, 1, 0, 2);
        cluster.kubectl().apply("""
            apiVersion: v1
            kind: Pod
            metadata: {name: cuda-vectoradd, namespace: default}
            spec:
              restartPolicy: OnFailure
              containers:
                - name: vectoradd
                  image: %s
                  imagePullPolicy: IfNotPresent
                  command: [sleep, "100000"]
                  resources:
                    limits:
                      nvidia.com/mig-1g.10gb: 2
              nodeSelector:
                nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3
                nvidia.com/mig.strategy: mixed
                nvidia.com/mig-1g.10gb.count: "2"
            """.formatted(cluster.workloadImage()));
        assertThat(cardOf(pods.running("cuda-vectoradd"), "vectoradd").split(","))
                .extracting(MigIT::profileOf)
                .containsExactly("1g.10gb", "1g.10gb");
        offers(79 + 39, 1, 1, 0, 2);
    }

    /** Each strategy gives the container its instance and nothing else of the card. */
    @Test
    void aContainerSeesItsInstanceByEachStrategy() throws IOException {
        needs("cdi");
        installation.cards(FULL, CUT + "3g.40gb,1g.10gb");
        offers(79 + 39 + 9, 1, 1, 0, 1);
        Path minors = cluster.sharedFolder().resolve("proc/driver/nvidia-caps/mig-minors");
        Files.createDirectories(Objects.requireNonNull(minors.getParent()));
        Files.createSymbolicLink(minors, Path.of("../../../cards-" + cluster.node() + ".mig-minors"));
        String instance = String.join("", healthy("1g.10gb"));
        var plugin = new SimulatedMps(cluster, ROOT);
        try {
            cluster.onNode("sh", "-c", DEVICE_FILES);
            cluster.onNode("sh", "-c", CDI_SPEC.replace("UUID", instance));
            plugin.arguments(
                    installation, "--device-list-strategy=envvar,cdi-cri,device-specs", "--proc-dir=/simulated/proc");
            offers(79 + 39 + 9, 1, 1, 0, 1);
            create("p", "", "nvidia.com/mig-1g.10gb: 1");
            pods.running("p");
            assertThat(pods.sees("p", "main")).isEqualTo(instance);
            String command = "ls -d /dev/nvidia?* /dev/nvidia-caps/*; echo $CDI";
            assertThat(cluster.kubectl()
                            .run("-n", "default", "exec", "p", "--", "sh", "-c", command)
                            .lines())
                    .containsExactlyInAnyOrder(
                            "/dev/nvidia1",
                            "/dev/nvidia-caps",
                            "/dev/nvidia-caps/nvidia-cap201",
                            "/dev/nvidia-caps/nvidia-cap202",
                            "/dev/nvidia-uvm",
                            "/dev/nvidia-uvm-tools",
                            "/dev/nvidiactl",
                            instance);
        } finally {
            cluster.onNode("sh", "-c", NO_DEVICE_FILES);
            plugin.arguments(installation);
        }
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

    private static List<String> healthy(String... profiles) {
        return inventory()
                .valueStream()
                .filter(card -> !card.has("unhealthy"))
                .filter(card -> profiles.length == 0
                        || List.of(profiles).contains(card.path("profile").asText()))
                .map(card -> card.path("uuid").asText())
                .toList();
    }

    private static void cordon(String change) {
        cluster.kubectl().run("annotate", "node", cluster.node(), "--overwrite", "gpushare.io/cordon" + change);
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
}
