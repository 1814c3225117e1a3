package io.gpushare.plugin.isolation;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpushare.mps.link.MpsDirectory;
import io.gpushare.mps.link.Phase;
import io.gpushare.simulated.program.StartedProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** MPS inside MIG instances: each has a daemon of its own, and no compute mode. */
class MpsOnInstancesIT extends WholeProgramWithMps {
    private static final String DRIVER = "driver version=550.163.01";
    private static final String LARGE = "nvidia.com/mig-3g.40gb";
    private static final String CORES = "aliyun.com/gpu-core.percentage";
    private static final String PERCENTAGE = "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE";
    private static final String FULL = "card kind=H100-80 uuid=" + A;
    private static final String CUT = "card kind=H100-80 uuid=" + B + " minor=1 mig=";

    /** Whether a card with MIG on can have another mode than DEFAULT was never established. */
    @AfterEach
    void theComputeModeOfACardWithMigIsNeverSet() throws IOException {
        Path kept = dir.resolve("cards.kept");
        if (Files.exists(kept)) {
            assertThat(Files.readString(kept)).doesNotContain("mode MIG-", "mode " + B);
        }
    }

    @Test
    void memoryAndCoresAreLimitedOnAnInstanceAsOnAFullCard() throws Exception {
        cards(DRIVER, FULL, CUT + "3g.40gb,1g.10gb");
        supervisor();
        runMps("--isolation=mps", "--core-resource=" + CORES, METRICS);
        String instance = instance(LARGE);
        Map<String, String> five = started("five", 5, instance);
        Map<String, String> eight = started("eight", 8, instance);
        Map<String, String> full = started("full", 2, A);

        assertThat(five)
                .containsEntry("NVIDIA_VISIBLE_DEVICES", instance)
                .containsEntry("CUDA_MPS_PINNED_DEVICE_MEM_LIMIT", "0=5120M")
                .containsEntry(PERCENTAGE, "12");
        assertThat(eight).containsEntry(PERCENTAGE, "20");
        assertThat(daemon(instance)).isPresent().isNotEqualTo(daemon(A));
        Tenant neighbour = tenant(eight, 0, 8000).prints("ok 8000");
        tenant(five, 0, 5120, 1).prints("ok 5120", "error 2");
        tenant(full, 0, 2048, 1).prints("ok 2048", "error 2");
        // 48 multiprocessors of the card's 132 are the instance's.
        Map<String, String> half = new HashMap<>(five);
        half.put(PERCENTAGE, coresOf(instance).get(PERCENTAGE));
        tenant(half, 0, "cores").prints("cores 24");
        assertThat(neighbour.alive()).isTrue();
        await().until(() -> metrics().contains("gpushare_card_mps_clients{card=\"" + instance + "\"} 3.0"));
        assertThat(phase(instance)).isEqualTo(Phase.READY);
    }

    /** Of the instance's memory, and of all its multiprocessors. */
    @Test
    void aRestartedPluginCapsTheCoresOfAShareOfAnInstanceAsBefore() throws Exception {
        cards(DRIVER, FULL, CUT + "3g.40gb,1g.10gb");
        capStaysAfterARestart("memory*2", () -> instance(LARGE), 5, "25");
    }

    private Map<String, String> coresOf(String instance) {
        api.pod(
                "cores",
                "Pending",
                Map.of(MEMORY, "1", CORES, "50"),
                ("{\"version\":1,\"unitMiB\":1024,\"containers\":[{\"name\":\"main\",\"memory\":{\"%s\":1},"
                                + "\"cores\":{\"%s\":50}}]}")
                        .formatted(instance, instance));
        list("cores");
        return allocate(CORES, preferred(CORES, 50));
    }

    /** Nothing keeps it from the instance, so it is found while the daemon runs. */
    @Test
    void aProgramThatUsesAnotherPipeDirectoryIsTerminatedAndItsNeighbourIsNot() throws Exception {
        cards(DRIVER, FULL, CUT + "3g.40gb,1g.10gb");
        supervisor();
        runMps("--isolation=mps", "--mps-over-use-grace=1s");
        String instance = instance(LARGE);
        Map<String, String> environment = started("a", 2, instance);
        Tenant neighbour =
                inContainer("b", 100, tenant(started("b", 3, instance), 0, 3000).prints("ok 3000"));
        ProcessHandle daemon = daemon(instance).orElseThrow();
        environment.put("CUDA_MPS_PIPE_DIRECTORY", dir.resolve("nowhere").toString());
        Tenant elsewhere = inContainer("a", 200, tenant(environment, 0, 1500).prints("ok 1500"));

        await().until(() -> !elsewhere.alive());
        api.awaitEvent("GpuMpsProcessTerminated", "\"name\":\"a\"", "or it uses another pipe directory");
        assertThat(neighbour.alive()).isTrue();
        assertThat(daemon(instance)).contains(daemon);
    }

    /** Beside it MPS starts at once: the instance is not the program's alone. */
    @Test
    void aProgramThatStartsWithoutADaemonIsTerminatedAndMpsStartsBesideIt() throws Exception {
        cards(DRIVER, FULL, CUT + "3g.40gb,1g.10gb");
        StartedProgram supervisor = supervisorProcess();
        runMps("--isolation=mps", "--mps-over-use-grace=15s");
        String instance = instance(LARGE);
        Map<String, String> environment = started("a", 2, instance);
        ProcessHandle daemon = daemon(instance).orElseThrow();
        signal(supervisor, "STOP");
        daemon.destroyForcibly();
        await().until(() -> daemon(instance).isEmpty());
        Tenant alone = inContainer("a", 100, computes(environment));
        signal(supervisor, "CONT");

        await().until(() -> daemon(instance).isPresent() && phase(instance) == Phase.READY);
        tenant(environment, 0, 2048, 1).prints("ok 2048", "error 2").close();
        assertThat(alone.alive()).isTrue();
        await().until(() -> !alone.alive());
        assertThat(phase(instance)).isEqualTo(Phase.READY);
    }

    /** It was admitted before the node had MPS. */
    @Test
    void aProgramThatComputedBeforeMpsIsNamedAndNotEnded() throws Exception {
        cards(DRIVER, FULL, CUT + "3g.40gb,1g.10gb");
        run();
        String instance = instance(LARGE);
        api.pod("early", "Running", Map.of(MEMORY, "2"), memoryOn(instance, 2));
        listRunning("early", MEMORY, List.of(instance + "::0", instance + "::1"));
        Tenant early = inContainer(
                "early",
                100,
                tenant(Map.of("NVIDIA_VISIBLE_DEVICES", instance), 0, 500).prints("ok 500"));
        end();
        start();
        api.pod("early", "Running", Map.of(MEMORY, "2"), memoryOn(instance, 2));
        supervisor();
        runMps("--isolation=mps", "--mps-over-use-grace=1s");

        await().until(() -> phase(instance) == Phase.BROKEN);
        assertThat(new MpsDirectory(mps).report(instance).orElseThrow().why())
                .contains("process " + early.pid() + " computes on the card without MPS");
        assertThat(early.alive()).isTrue();
    }

    @Test
    void afterTheMemoryPodsMpsEndsAndTheInstanceCanBeTakenWhole() throws Exception {
        cards(DRIVER, FULL, CUT + "3g.40gb,1g.10gb");
        supervisor();
        runMps("--isolation=mps");
        String instance = instance(LARGE);
        started("memory", 2, instance);
        api.delete("memory");
        list();
        await().until(() -> kubelet.healthy(LARGE).contains(instance));
        api.pod("whole", "Pending", Map.of(LARGE, "1"), wholeCard(instance));
        list("whole");
        assertThat(allocate(LARGE, List.of(instance))).isEqualTo(Map.of("NVIDIA_VISIBLE_DEVICES", instance));
        start(LARGE, List.of(instance));
        assertThat(phase(instance)).isEqualTo(Phase.OFF);
        assertThat(daemon(instance)).isEmpty();
        tenant(Map.of("NVIDIA_VISIBLE_DEVICES", instance), 0, 30_000).prints("ok 30000");
    }

    @Test
    void anotherCutEndsTheDaemonOfAnInstanceAndTheNewOnesGetTheirOwn() throws Exception {
        cards(DRIVER, FULL, CUT + "3g.40gb,1g.10gb");
        supervisor();
        runMps("--isolation=mps", METRICS);
        String before = instance(LARGE);
        started("before", 2, before);
        Map<String, String> full = started("full", 2, A);
        Tenant unharmed = tenant(full, 0, 1000).prints("ok 1000");
        api.delete("before");
        list();

        cards(DRIVER, FULL, CUT + "2g.20gb,2g.20gb mig-seed=again");
        await().until(() -> daemon(before).isEmpty());
        await().until(() -> new MpsDirectory(mps).report(before).isEmpty());
        String after = instance("nvidia.com/mig-2g.20gb");
        tenant(started("after", 3, after), 0, 3072, 1).prints("ok 3072", "error 2");
        assertThat(unharmed.alive()).isTrue();
        await().until(() -> !metrics().contains(before));

        cards(DRIVER, FULL, CUT + "on");
        await().until(() -> daemon(after).isEmpty());
        await().until(() -> api.patches().getLast().contains("MIG is enabled, and only instances can have MPS"));
        List<String> devices = admit("next", 2, A);
        start(MEMORY, devices);
        api.pod("gone", "Pending", Map.of(MEMORY, "2"), memoryOn(after, 2));
        list("gone");
        List<String> any = kubelet.healthy(MEMORY).subList(0, 2);
        assertThatThrownBy(() -> response(MEMORY, any)).hasMessageContaining(after);
    }

    /** The first instance of that profile, when its memory is offered. */
    private String instance(String profile) {
        await().until(() -> kubelet.registrations().contains(profile)
                && kubelet.devices(profile).isPresent()
                && !kubelet.healthy(profile).isEmpty());
        String instance = kubelet.healthy(profile).getFirst();
        await().until(() -> kubelet.healthy(MEMORY).contains(instance + "::0"));
        return instance;
    }
}
