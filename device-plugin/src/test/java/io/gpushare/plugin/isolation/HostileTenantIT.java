package io.gpushare.plugin.isolation;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.mps.link.CardReport;
import io.gpushare.mps.link.MpsDirectory;
import io.gpushare.mps.link.Phase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Root in a container with MPS tries to harm its neighbours by the directory that it gets. */
class HostileTenantIT extends WholeProgramWithMps {
    private Path pipe;
    private Tenant neighbour;

    @BeforeEach
    void startBoth() throws Exception {
        cards("driver version=550.163.01", CARD_A, CARD_B);
        supervisor();
        runMps("--isolation=mps");
        Admitted hostile = admitted("hostile", 2, A);
        assertThat(hostile.response().getMounts(0).getReadOnly())
                .as("it can change nothing there")
                .isTrue();
        pipe = Path.of(started(hostile, "hostile", 2, A).get("CUDA_MPS_PIPE_DIRECTORY"));
        neighbour = tenant(started("neighbour", 4), 0, 1000).prints("ok 1000");
    }

    /** Sends the command as NVIDIA's program in the container does. */
    private void send(String command) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                Tenant.programs().resolve("nvidia-cuda-mps-control").toString());
        builder.environment().put("CUDA_MPS_PIPE_DIRECTORY", pipe.toString());
        Process process = builder.start();
        try (var input = process.outputWriter()) {
            input.write(command + "\n");
        } catch (IOException e) {
            // It ended without reading: there is no daemon.
        }
        process.waitFor();
    }

    private CardReport report() throws IOException {
        return new MpsDirectory(mps).report(A).orElseThrow();
    }

    @Test
    void whatEndsTheDaemonIsRefusedAgainAndAgain() throws Exception {
        long server = report().server();
        for (int i = 0; i < 5; i++) {
            send("quit");
        }
        awaitLooks(A, 2);
        assertThat(neighbour.alive()).isTrue();
        assertThat(report().failures()).isZero();
        assertThat(report().server()).isEqualTo(server);
        assertThat(report().phase()).isEqualTo(Phase.READY);
    }

    /** As if it could write there. */
    @Test
    void anotherDaemonInTheDirectoryIsNeitherBelievedNorFoundByOthers() throws Exception {
        long server = report().server();
        Path away = Files.createDirectory(dir.resolve("away"));
        try (Stream<Path> files = Files.list(pipe)) {
            for (Path each : files.toList()) {
                Files.move(each, away.resolve(each.getFileName()));
            }
        }
        ProcessBuilder builder = new ProcessBuilder(
                Tenant.programs().resolve("nvidia-cuda-mps-control").toString(), "-f");
        builder.environment().putAll(Map.of("CUDA_MPS_PIPE_DIRECTORY", pipe.toString(), "CUDA_VISIBLE_DEVICES", A));
        builder.environment()
                .put("GPUSHARE_SIMULATED_CARDS", dir.resolve("cards").toString());
        Process impostor = builder.start();
        running.add(() -> {
            impostor.descendants().forEach(ProcessHandle::destroyForcibly);
            impostor.destroyForcibly().waitFor();
        });
        await().until(() -> Files.exists(pipe.resolve("nvidia-cuda-mps-control.pid")));
        send("start_server -uid 0");

        awaitLooks(A, 3);
        assertThat(report().server()).isEqualTo(server);
        assertThat(report().phase()).isEqualTo(Phase.READY);
        assertThat(neighbour.alive()).isTrue();
        Tenant next = tenant(started("next", 3), 0, 3072, 1).prints("ok 3072", "error 2");
        await().until(() -> report().clients() == 2);
        assertThat(next.alive()).isTrue();
        assertThat(impostor.descendants().map(ProcessHandle::pid).toList()).doesNotContain(report().server());
        assertThat(Files.readString(dir.resolve("supervisor.log")))
                .contains("a container had replaced the socket in " + pipe);
    }

    @Test
    void linksAndLocksInTheDirectoryDoNoHarm() throws Exception {
        Path victim = Files.writeString(dir.resolve("victim"), "kept");
        for (String name : List.of("nvidia-cuda-mps-control.pid", "log", "control_lock")) {
            Files.deleteIfExists(pipe.resolve(name));
            Files.createSymbolicLink(pipe.resolve(name), victim);
        }
        Process lock = new ProcessBuilder("flock", victim.toString(), "sleep", "60").start();
        running.add(() -> {
            lock.descendants().forEach(ProcessHandle::destroyForcibly);
            lock.destroyForcibly().waitFor();
        });
        daemonOf(report().server()).destroyForcibly();

        await().until(() -> report().phase() == Phase.READY && report().failures() == 1);
        assertThat(victim).hasContent("kept");
        tenant(started("next", 3), 0, 3072, 1).prints("ok 3072", "error 2");
    }

    private static ProcessHandle daemonOf(long server) {
        return ProcessHandle.of(server).flatMap(ProcessHandle::parent).orElseThrow();
    }
}
