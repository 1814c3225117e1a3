package io.gpushare.mps.control;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.mps.control.ControlProgram.Reply;
import io.gpushare.mps.machine.Observation.Daemon;
import io.gpushare.mps.machine.Observation.Server;
import io.gpushare.mps.machine.Observation.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The simulated clients of MPS behave as those of an H100 with driver 580.159. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SimulatedClientsTest {
    private static final String CARD = "GPU-9a3e9ee9-83a7-a433-bafd-90171204840a";

    @TempDir
    Path dir;

    private final List<Process> tenants = new ArrayList<>();
    private SimulatedPrograms programs;
    private ControlDaemon daemon;
    private CardControl control;

    @BeforeEach
    void startServer() throws Exception {
        programs = new SimulatedPrograms(dir);
        daemon = programs.daemon(CARD);
        control = new CardControl(programs.of(CARD), daemon);
        Files.writeString(dir.resolve("cards"), "card kind=H100-80 context=on uuid=" + CARD + "\n");
        daemon.start();
        await().until(() -> control.look(0).daemon() == Daemon.ANSWERING);
        daemon.offer();
        control.startServer();
    }

    @AfterEach
    void end() throws Exception {
        tenants.forEach(Process::destroyForcibly);
        daemon.kill();
    }

    @Test
    void psListsEachClientWithItsCardNamespaceAndCommand() throws Exception {
        assertThat(ps()).hasSize(1);
        Process first = tenant("512");
        line(first);
        Process second = tenant("512");
        line(second);

        long server = server().pid();
        Object namespace = Files.getAttribute(Path.of("/proc/self/ns/pid"), "unix:ino");
        String command = programs.tenant().toString();
        String columns = "%-10s%-10s%-15s%-26s%-15s%-15s";
        assertThat(ps())
                .containsExactly(
                        columns.formatted("PID", "ID", "SERVER", "DEVICE", "NAMESPACE", "COMMAND"),
                        columns.formatted(first.pid(), 0, server, "GPU-9a3e9ee9-83a7-a433", namespace, command),
                        columns.formatted(second.pid(), 1, server, "GPU-9a3e9ee9-83a7-a433", namespace, command));
    }

    @Test
    void afterAFatalFaultTheServerIsReadyAsSoonAsAllItsClientsHaveEnded() throws Exception {
        Process neighbour = tenant("16");
        line(neighbour);
        Process bad = tenant("fault");
        assertThat(bad.waitFor()).isEqualTo(3);
        assertThat(neighbour.waitFor()).isEqualTo(3);
        assertThat(line(tenant("32"))).isEqualTo("ok 32");
        assertThat(server().status()).isEqualTo(Status.ACTIVE);
    }

    @Test
    void afterAFatalFaultTheServerRefusesClientsWhileOneOfItsClientsLives() throws Exception {
        Process deaf = tenant("16", "deaf");
        line(deaf);
        assertThat(tenant("fault").waitFor()).isEqualTo(3);
        assertThat(server().status()).isEqualTo(Status.FAULT);
        assertThat(line(tenant("32"))).isEqualTo("error 807");

        deaf.destroyForcibly().waitFor();
        await().until(() -> server().status() == Status.ACTIVE);
        assertThat(line(tenant("32"))).isEqualTo("ok 32");
    }

    @Test
    void aProgramSeesTheMultiprocessorsOfItsShareInPairs() throws Exception {
        assertThat(line(tenant("cores"))).isEqualTo("cores 132");
        assertThat(line(tenant(Map.of("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "50"), "cores")))
                .isEqualTo("cores 66");
        assertThat(line(tenant(Map.of("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "25"), "cores")))
                .isEqualTo("cores 32");
    }

    @Test
    void aProgramGetsTheCardWithoutContextAndReservedMemory() throws Exception {
        String free = String.valueOf(81559 - 480 - 8 - 516);
        assertThat(line(tenant("fill"))).endsWith(" free " + free + " total 81079");
    }

    private Process tenant(String... arguments) throws IOException {
        return tenant(Map.of(), arguments);
    }

    private Process tenant(Map<String, String> more, String... arguments) throws IOException {
        Process tenant = programs.tenant(CARD, more, arguments);
        tenants.add(tenant);
        return tenant;
    }

    /** The next line that it prints. */
    private static String line(Process tenant) throws IOException {
        return tenant.inputReader().readLine();
    }

    private Server server() throws IOException, InterruptedException {
        return control.look(0).server().orElseThrow();
    }

    private List<String> ps() throws IOException, InterruptedException {
        assertThat(programs.of(CARD).ask("ps")).isInstanceOf(Reply.Answered.class);
        return ((Reply.Answered) programs.of(CARD).ask("ps")).lines();
    }
}
