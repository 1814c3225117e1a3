package io.gpushare.plugin.isolation;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpushare.mps.link.CardReport;
import io.gpushare.mps.link.MpsDirectory;
import io.gpushare.mps.link.Phase;
import io.gpushare.simulated.kubelet.devices.CheckpointFile;
import io.gpushare.simulated.program.StartedProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** MPS from the kubelet's calls over the supervisor to tenants, and its faults. */
class MpsIT extends WholeProgramWithMps {
    private static final String DRIVER = "driver version=550.163.01";

    @BeforeEach
    void describeCards() throws IOException {
        cards(DRIVER, CARD_A, CARD_B);
    }

    @Test
    void unequalLimitsOnOneCardAreExactAndANeighbourIsUnharmed() throws Exception {
        supervisor();
        runMps("--isolation=mps", METRICS);
        Map<String, String> two = started("two", 2);
        Map<String, String> five = started("five", 5);
        Map<String, String> seven = started("seven", 7);
        assertThat(two)
                .containsEntry("CUDA_MPS_PINNED_DEVICE_MEM_LIMIT", "0=2048M")
                .containsEntry("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "14")
                .containsEntry("NVIDIA_VISIBLE_DEVICES", A);
        assertThat(seven).containsEntry("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "50");

        Tenant neighbour = tenant(five, 0, 3000).prints("ok 3000");
        tenant(two, 0, 2048, 1).prints("ok 2048", "error 2");
        // Without its variable, the server's limit holds it; with another directory, it can't compute at all.
        Map<String, String> unset = new HashMap<>(two);
        unset.remove("CUDA_MPS_PINNED_DEVICE_MEM_LIMIT");
        tenant(unset, 0, 7168, 1).prints("ok 7168", "error 2").close();
        Map<String, String> elsewhere = new HashMap<>(two);
        elsewhere.put("CUDA_MPS_PIPE_DIRECTORY", dir.resolve("nowhere").toString());
        tenant(elsewhere, 0, 1).prints("error 46");
        tenant(seven, 0, 7168).prints("ok 7168");
        assertThat(neighbour.alive()).isTrue();

        await().until(() -> metrics().contains("gpushare_card_mps_clients{card=\"" + A + "\"} 3.0"));
        assertThat(metrics().lines())
                .contains(
                        "gpushare_card_isolation{card=\"" + A + "\",model=\"Tesla T4\",provider=\"mps\"} 1.0",
                        "gpushare_card_mps_phase{card=\"" + A + "\",phase=\"ready\"} 1.0",
                        "gpushare_card_mps_process_limit_bytes{card=\"" + A + "\"} " + (double) (7L << 30));
        assertThat(api.patches().getLast()).contains("\\\"isolation\\\":\\\"mps\\\"");
    }

    @ParameterizedTest
    @CsvSource({"memory*2, 28", "none, ''"})
    void aRestartedPluginCapsTheCoresOfAShareAsBefore(String cores, String percentage) throws Exception {
        capStaysAfterARestart(cores, () -> A, 2, percentage);
    }

    @Test
    void theComputeModeFollowsThePodsOfTheCard() throws Exception {
        supervisor();
        runMps("--isolation=mps");
        started("memory", 2);
        assertThat(mode(A)).isEqualTo(3);
        assertThat(mode(B)).isZero();

        api.delete("memory");
        list();
        await().until(() -> kubelet.healthy(CARDS).contains(A));
        api.pod("whole", "Pending", Map.of(CARDS, "1"), wholeCard(A));
        list("whole");
        assertThat(allocate(CARDS, List.of(A))).isEqualTo(Map.of("NVIDIA_VISIBLE_DEVICES", A));
        start(CARDS, List.of(A));
        assertThat(mode(A)).isZero();

        api.delete("whole");
        list();
        await().until(() -> kubelet.healthy(MEMORY).size() == 28);
        started("again", 3);
        assertThat(mode(A)).isEqualTo(3);
    }

    @Test
    void theNewestProcessOfAContainerThatTogetherExceedsItsLimitIsTerminated() throws Exception {
        supervisor();
        runMps("--isolation=mps", "--mps-over-use-grace=1s", METRICS);
        Map<String, String> environment = started("a", 2);
        Map<String, String> other = started("b", 4);
        Tenant first = inContainer("a", 100, tenant(environment, 0, 1500).prints("ok 1500"));
        Tenant neighbour = inContainer("b", 300, tenant(other, 0, 4000).prints("ok 4000"));
        Tenant second = inContainer("a", 200, tenant(environment, 0, 1500).prints("ok 1500"));

        second.prints("ok 1500", "lost 810");
        assertThat(first.alive()).isTrue();
        assertThat(neighbour.alive()).isTrue();
        api.awaitEvent("GpuMpsProcessTerminated", "\"name\":\"a\"", "together use 2.9 GiB");
        assertThat(metrics().lines())
                .contains("gpushare_plugin_isolation_repairs_total{kind=\"client_terminated\"} 1.0");
        assertThat(api.events()).noneMatch(event -> event.contains("GpuUseWithoutAllocation"));
    }

    /** The driver shows a process that fills its limit 2 MiB above it. */
    @Test
    void aProgramThatFillsItsLimitIsNoOverUseAndTwoThatTogetherExceedItAre() throws Exception {
        cards(DRIVER, CARD_A + " context=on", CARD_B);
        supervisor();
        runMps("--isolation=mps", "--mps-over-use-grace=1s", METRICS);
        Tenant full = inContainer("full", 100, tenant(started("full", 2), 0, "fill"))
                .prints("filled 1534 error 2 free 1534 total 14913");
        await().until(() -> metrics().contains(" " + (double) (2050L << 20) + "\n"));

        Map<String, String> environment = started("greedy", 2);
        Tenant first = inContainer("greedy", 200, tenant(environment, 0, 600)).prints("ok 600");
        inContainer("greedy", 300, tenant(environment, 0, 600)).prints("ok 600", "lost 810");
        assertThat(first.alive()).isTrue();
        assertThat(full.alive()).isTrue();
        api.awaitEvent("GpuMemoryOverUse", "\"name\":\"greedy\"");
        assertThat(api.events()).noneMatch(event -> event.contains("OverUse") && event.contains("\"name\":\"full\""));
    }

    /** The kubelet's checkpoint knows the pods, and the cgroups of the processes. */
    @Test
    void aPluginThatStartsWithoutTheApiServerHoldsContainersToTheirLimitsToo() throws Exception {
        Admitted admitted = admittedBefore();
        listRunning("a", MEMORY, admitted.devices());
        record(admitted);
        runWithoutApiServer();
        theSecondProgramIsTerminated(admitted);
    }

    /** It was frozen, or slow. */
    @Test
    void withoutTheApiServerThePluginReadsWhatTheKubeletRecordsLater() throws Exception {
        Admitted admitted = admittedBefore();
        listRunning("a", MEMORY, admitted.devices());
        runWithoutApiServer();
        record(admitted);
        theSecondProgramIsTerminated(admitted);
    }

    /** A kubelet that restarted lists no pods before the API server does. */
    @Test
    void withoutTheApiServerTheKubeletsRecordIsEnough() throws Exception {
        Admitted admitted = admittedBefore();
        list();
        record(admitted);
        runWithoutApiServer();
        theSecondProgramIsTerminated(admitted);
    }

    /** Admits pod {@code a} with 2 units, and kills the plugin that did. */
    private Admitted admittedBefore() throws Exception {
        supervisor();
        StartedProgram before = runMps("--isolation=mps");
        Admitted admitted = admitted("a", 2, A);
        started(admitted, "a", 2, A);
        before.kill();
        return admitted;
    }

    private void record(Admitted admitted) throws IOException {
        kubelet.checkpoint(
                new CheckpointFile.Entry(POD_UID, "main", MEMORY, Set.copyOf(admitted.devices()), admitted.response()));
    }

    /** Returns when it has read the kubelet's record a first time. */
    private void runWithoutApiServer() throws IOException {
        api.cutOff(true);
        int registrations = kubelet.registrations().size();
        run("--isolation=mps", "--mps-over-use-grace=1s", "--mps-dir=" + mps, "--proc-dir=" + proc);
        await().until(() -> kubelet.registrations().size() == registrations + 2);
    }

    private void theSecondProgramIsTerminated(Admitted admitted) throws Exception {
        Map<String, String> environment = environment(admitted);
        Tenant first = inContainer("a", 100, tenant(environment, 0, 1500).prints("ok 1500"));
        Tenant second = inContainer("a", 200, tenant(environment, 0, 1500).prints("ok 1500"));

        second.prints("ok 1500", "lost 810");
        assertThat(first.alive()).isTrue();
        assertThat(log()).contains("Process " + second.pid());
    }

    @Test
    void aDaemonThatIsKilledIsStartedAgainAndOtherCardsNeverNotice() throws Exception {
        supervisor();
        runMps("--isolation=mps");
        Map<String, String> environment = started("a", 2);
        Map<String, String> onOther = started("b", 2, B);
        Tenant hurt = tenant(environment, 0, 1000).prints("ok 1000");
        Tenant unharmed = tenant(onOther, 0, 1000).prints("ok 1000");

        daemon(A).orElseThrow().destroyForcibly();

        hurt.prints("ok 1000", "lost 806");
        api.awaitEvent("GpuMpsFailed", "the control daemon ended");
        Map<String, String> next = started("next", 3);
        tenant(next, 0, 3072, 1).prints("ok 3072", "error 2");
        assertThat(unharmed.alive()).isTrue();
        assertThat(api.events()).noneMatch(event -> event.contains("GpuMpsFailed") && event.contains("\"name\":\"b\""));
    }

    /** In compute mode EXCLUSIVE_PROCESS it has the card alone, and without a limit. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aProgramThatStartsWithoutADaemonIsEndedAndMpsIsReadyAgain(boolean withoutSupervisor) throws Exception {
        StartedProgram supervisor = supervisorProcess();
        runMps("--isolation=mps", "--mps-over-use-grace=1s");
        Map<String, String> environment = started("a", 2);
        ProcessHandle daemon = daemon(A).orElseThrow();
        signal(supervisor, "STOP");
        daemon.destroyForcibly();
        await().until(() -> daemon(A).isEmpty());
        Tenant alone = inContainer("a", 100, computes(environment));
        if (withoutSupervisor) {
            supervisor.kill();
            supervisor();
        } else {
            signal(supervisor, "CONT");
        }

        await().until(() -> !alone.alive());
        await().until(() -> phase(A) == Phase.READY);
        api.awaitEvent("GpuMpsProcessTerminated", "\"name\":\"a\"", "computes on card " + A + " without MPS");
        tenant(environment, 0, 2048, 1).prints("ok 2048", "error 2");
    }

    /** It was admitted before the node had MPS. */
    @Test
    void aProgramThatComputedBeforeMpsIsNotEnded() throws Exception {
        api.pod("early", "Running", Map.of(MEMORY, "2"), memoryOn(A, 2));
        listRunning("early", MEMORY, List.of(A + "::0", A + "::1"));
        Tenant early = inContainer(
                "early",
                100,
                tenant(Map.of("NVIDIA_VISIBLE_DEVICES", A), 0, 500).prints("ok 500"));
        supervisor();
        runMps("--isolation=mps", "--mps-over-use-grace=1s");
        await().until(() -> phase(A) == Phase.BROKEN);
        CardReport report = new MpsDirectory(mps).report(A).orElseThrow();
        assertThat(report.why()).contains("process " + early.pid() + " computes on the card without MPS");
        assertThat(report.bypassing()).isEmpty();
        assertThat(early.alive()).isTrue();
    }

    @Test
    void whileTheDaemonHangsNoContainerStartsAndAfterwardsItDoes() throws Exception {
        supervisor();
        runMps("--isolation=mps");
        started("a", 2);
        script("hang");
        await(Duration.ofSeconds(90))
                .until(() -> api.events().stream()
                        .anyMatch(event -> event.contains("GpuMpsFailed") && event.contains("does not answer")));
        List<String> devices = admit("late", 3, A);
        assertThatThrownBy(() -> start(MEMORY, devices))
                .hasMessageContaining("pod default/late container 'main' can't start: ")
                .hasMessageContaining("MPS");

        script("");
        await(Duration.ofMinutes(2)).ignoreExceptions().until(() -> {
            start(MEMORY, devices);
            return true;
        });
    }

    @Test
    void aFatalFaultEndsTheProgramsOfItsCardAndOfNoOther() throws Exception {
        supervisor();
        runMps("--isolation=mps");
        Map<String, String> environment = started("a", 2);
        Tenant unharmed = tenant(started("b", 2, B), 0, 1000).prints("ok 1000");
        Tenant hurt = tenant(environment, 0, 1000).prints("ok 1000");
        Tenant deaf = tenant(environment, 0, "500", "deaf").prints("ok 500");
        tenant(environment, 0, "200", "fault").prints("ok 200", "lost 700");

        hurt.prints("ok 1000", "lost 700");
        api.awaitEvent("GpuMpsFailed", "fatal fault ended all clients");
        tenant(environment, 0, 1).prints("error 807");
        // The server serves again when the last of the programs that it hurt has ended.
        deaf.close();
        long ended = System.nanoTime();
        tenant(started("next", 3), 0, 3072, 1).prints("ok 3072", "error 2");
        System.out.println("it: after the last program of a fault ended, the next container started within "
                + Duration.ofNanos(System.nanoTime() - ended).toMillis() + " ms");
        assertThat(unharmed.alive()).isTrue();
        assertThat(api.events()).noneMatch(event -> event.contains("GpuMpsFailed") && event.contains("\"name\":\"b\""));
    }

    @Test
    void aSupervisorThatIsKilledIsReplacedAndThePluginThatRestartsChangesNothing() throws Exception {
        StartedProgram first = supervisorProcess();
        StartedProgram plugin = runMps("--isolation=mps");
        List<String> devices = admit("a", 2, A);
        start(MEMORY, devices);
        ProcessHandle daemon = daemon(A).orElseThrow();
        listRunning("a", MEMORY, devices);

        plugin.kill();
        runMps("--isolation=mps");
        start(MEMORY, devices);
        assertThat(daemon(A)).contains(daemon);

        first.kill();
        String reason = "no MPS supervisor serves this node";
        await().until(() -> kubelet.healthy(MEMORY).size() < 4);
        await().until(() -> api.patches().stream().anyMatch(patch -> patch.contains(reason)));
        assertThatThrownBy(() -> start(MEMORY, devices)).hasMessageContaining(reason);
        supervisor();
        await().until(() -> kubelet.healthy(MEMORY).size() == 28);
        start(MEMORY, devices);
        // On a busy machine the supervisor may replace a daemon that responds late.
        await().untilAsserted(() -> assertThat(daemon(A)).isPresent().isNotEqualTo(Optional.of(daemon)));
        start(MEMORY, devices);
    }

    @Test
    void aMultiUserModeIsUsedWhereTheProgramHasOneAndAStoppedSupervisorLeavesNoDaemon() throws Exception {
        script("multi-user=on");
        StartedProgram multiUser = supervisor();
        runMps("--isolation=mps");
        Tenant tenant = tenant(started("a", 2), 0, 500).prints("ok 500");
        assertThat(flags(A)).containsExactly("-f", "-M");

        stop(multiUser);
        assertThat(daemon(A)).isEmpty();
        tenant.prints("ok 500", "lost 806");

        script("");
        supervisor();
        await().until(() -> kubelet.healthy(MEMORY).size() == 28);
        started("b", 3);
        assertThat(flags(A)).containsExactly("-f");
    }

    @Test
    void withAMultiUserModeAllUsersComputeAtOnceAndWithoutItTheOthersWaitAndAreReported() throws Exception {
        assertThat(ProcessHandle.current().info().user())
                .as("this test starts programs of several users: run it as root")
                .hasValue("root");
        Files.setPosixFilePermissions(dir, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path ledger = Files.createFile(dir.resolve("cards.processes"));
        Files.setPosixFilePermissions(ledger, PosixFilePermissions.fromString("rw-rw-rw-"));
        script("multi-user=on");
        StartedProgram multiUser = supervisor();
        runMps("--isolation=mps");
        Map<String, String> environment = started("a", 2);
        for (int user : new int[] {0, 1000, 2000}) {
            tenant(environment, user, 500).prints("ok 500");
        }
        for (AutoCloseable each : List.copyOf(running)) {
            if (each instanceof Tenant tenant) {
                tenant.close();
            }
        }
        stop(multiUser);

        script("");
        supervisor();
        await().until(() -> kubelet.healthy(MEMORY).size() == 28);
        Map<String, String> other = started("b", 3);
        Tenant served = tenant(environment, 0, 500).prints("ok 500");
        Tenant waiting = inContainer("b", 1, tenant(other, 1000, 500));
        api.awaitEvent("GpuMpsWaitsForUser", "\"name\":\"b\"");
        assertThat(waiting.lines()).isEmpty();
        served.close();
        waiting.prints("ok 500");
    }

    @Test
    void whatMakesMpsImpossibleIsSaidAndOffersNoMemory() throws Exception {
        cards(DRIVER, CARD_A, "card kind=A100-80 memory=15GiB mig=on uuid=" + B);
        run("--isolation=mps", "--mps-dir=" + mps, "--proc-dir=" + proc);
        await().until(() -> kubelet.healthy(CARDS).equals(List.of(A)));
        await().untilAsserted(() -> assertThat(kubelet.healthy(MEMORY)).isEmpty());
        await().until(() -> api.patches().stream()
                .anyMatch(patch -> patch.contains("no MPS supervisor serves this node")
                        && patch.contains("MIG is enabled, and only instances can have MPS")));

        StartedProgram withoutProgram = supervisor("--mps-control-program=/nowhere/nvidia-cuda-mps-control");
        await().until(() ->
                api.patches().getLast().contains("the program /nowhere/nvidia-cuda-mps-control is missing"));
        withoutProgram.kill();
        supervisor();
        await().until(() -> kubelet.healthy(MEMORY).size() == 14);

        // A program of the node computes on the card without MPS.
        cards(
                DRIVER,
                CARD_A,
                "card kind=A100-80 memory=15GiB mig=on uuid=" + B,
                "process pid=" + ProcessHandle.current().pid() + " card=0 memory=1GiB");
        List<String> devices = admit("a", 2, A);
        assertThatThrownBy(() -> start(MEMORY, devices))
                .hasMessageContaining(
                        "process " + ProcessHandle.current().pid() + " computes on the card without MPS: end it");
    }

    @Test
    void memoryOfSeveralCardsIsRefused() throws Exception {
        supervisor();
        runMps("--isolation=mps");
        await().until(() -> kubelet.healthy(MEMORY).size() == 28);
        api.pod(
                "p",
                "Pending",
                Map.of(MEMORY, "4"),
                "{\"version\":1,\"unitMiB\":1024,\"containers\":[{\"name\":\"main\",\"memory\":{\"%s\":2,\"%s\":2}}]}"
                        .formatted(A, B));
        list("p");
        assertThatThrownBy(() -> allocate(MEMORY, List.of(A + "::0", A + "::1", B + "::0", B + "::1")))
                .hasMessageContaining(
                        "pod default/p, container 'main': memory of several cards is not possible with MPS");
    }

    @Test
    void gpusharesFlagUsesMpsWhereASupervisorServesTheNode() throws Exception {
        supervisor();
        runMps("-mps=true");
        // Until the supervisor serves a card, its memory is only counted.
        await().until(() -> log().contains("card " + A + ": isolation mps is in force"));
        tenant(started("a", 2), 0, 2048, 1).prints("ok 2048", "error 2");
    }

    /** Stops the supervisor, and waits until the plugin knows: it offers all memory again under the next one only. */
    private void stop(StartedProgram supervisor) throws InterruptedException {
        supervisor.terminate();
        assertThat(supervisor.exitCode()).isZero();
        await().until(() -> kubelet.healthy(MEMORY).size() < 30);
    }

    private int mode(String card) throws IOException {
        return Files.readAllLines(dir.resolve("cards.kept")).stream()
                .filter(line -> line.startsWith("mode " + card))
                .map(line -> Integer.parseInt(line.substring(line.lastIndexOf(' ') + 1)))
                .findFirst()
                .orElse(0);
    }

    private String[] flags(String card) throws IOException {
        return daemon(card).orElseThrow().info().arguments().orElseThrow();
    }
}
