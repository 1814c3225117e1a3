package io.gpushare.mps.control;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a supervisor ends, whatever is in the directory of the daemon's sockets. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ControlDaemonTest {
    @TempDir
    Path dir;

    private SimulatedPrograms programs;
    private ControlDaemon other;
    private Path pidFile;

    @BeforeEach
    void startAnotherCardsDaemon() throws Exception {
        programs = new SimulatedPrograms(dir);
        other = programs.daemon("other");
        other.start();
        pidFile = programs.directories("own").daemon().resolve("nvidia-cuda-mps-control.pid");
    }

    @AfterEach
    void end() throws Exception {
        Files.deleteIfExists(pidFile);
        other.kill();
        programs.daemon("own").kill();
    }

    @Test
    void theDaemonOfAnEarlierSupervisorIsEndedWhateverItsPidFileSays() throws Exception {
        ControlDaemon earlier = programs.daemon("own");
        earlier.start();
        Files.writeString(pidFile, "1");

        programs.daemon("own").kill();

        // The process is gone; this JVM, whose child it was, may notice a moment later.
        await().until(() -> !earlier.alive());
        assertThat(other.alive()).isTrue();
    }

    @Test
    void anotherCardsDaemonIsNotEnded() throws Exception {
        Path written = programs.directories("other").daemon().resolve("nvidia-cuda-mps-control.pid");
        await().until(() -> Files.exists(written));
        ControlDaemon own = programs.daemon("own");
        Files.writeString(
                dir.resolve("own/log/daemon.pid"), Files.readString(written).strip());
        own.kill();
        assertThat(other.alive()).isTrue();
    }

    @Test
    void aLinkToAnEndlessFileInTheSharedDirectoryDoesNoHarm() throws Exception {
        Files.createSymbolicLink(pidFile, Path.of("/dev/zero"));
        programs.daemon("own").kill();
        assertThat(other.alive()).isTrue();
    }

    @Test
    void aFifoInTheSharedDirectoryDoesNoHarm() throws Exception {
        assertThat(new ProcessBuilder("mkfifo", pidFile.toString()).start().waitFor())
                .isZero();
        programs.daemon("own").kill();
        assertThat(other.alive()).isTrue();
    }
}
