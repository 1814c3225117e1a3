package io.gpushare.mps.control;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.mps.control.ControlProgram.Reply;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a container with the pipe directory of clients can do. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PipeDirectoriesTest {
    private static final String CARD = "own";

    @TempDir
    Path dir;

    private SimulatedPrograms programs;
    private ControlDaemon daemon;
    private PipeDirectories directories;

    @BeforeEach
    void prepare() throws IOException {
        programs = new SimulatedPrograms(dir);
        daemon = programs.daemon(CARD);
        directories = programs.directories(CARD);
    }

    @AfterEach
    void end() throws Exception {
        daemon.kill();
    }

    private void startAndOffer() throws Exception {
        daemon.start();
        await().until(() -> programs.of(CARD).ask("get_server_list") instanceof Reply.Answered);
        daemon.offer();
    }

    @Test
    void rootThereAsksAndEndsNothing() throws Exception {
        startAndOffer();
        assertThat(programs.inContainer(CARD).ask("get_server_list")).isEqualTo(new Reply.Answered(List.of()));
        assertThat(programs.inContainer(CARD).ask("quit"))
                .isEqualTo(new Reply.Answered(List.of("Not enough privilege to execute quit command")));
        assertThat(daemon.alive()).isTrue();
        assertThat(directories.clients()).isDirectoryNotContaining(file -> !file.endsWith("control"));
        assertThat(programs.of(CARD).ask("quit")).isEqualTo(new Reply.Answered(List.of()));
    }

    /** With a directory that it may write, as those that an earlier version gave. */
    @Test
    void aSocketThatWasReplacedIsTheDaemonsAgain() throws Exception {
        startAndOffer();
        Path socket = directories.clients().resolve("control");
        Files.delete(socket);
        Files.createSymbolicLink(socket, dir.resolve("elsewhere"));
        assertThat(directories.offer()).isTrue();
        assertThat(programs.inContainer(CARD).ask("get_server_list")).isInstanceOf(Reply.Answered.class);
        assertThat(directories.offer()).isFalse();
        Files.delete(socket);
        assertThat(directories.offer()).isFalse();
        assertThat(programs.inContainer(CARD).ask("get_server_list")).isInstanceOf(Reply.Answered.class);
    }

    @Test
    void noLinkThatLiesInADirectoryIsFollowed() throws Exception {
        Path outside = Files.createDirectory(dir.resolve("outside"));
        Path file = Files.writeString(outside.resolve("file"), "kept");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        for (Path each : List.of(directories.daemon(), directories.clients())) {
            Files.createSymbolicLink(each.resolve("nvidia-cuda-mps-control.pid"), file);
            Files.createSymbolicLink(each.resolve("control_lock"), outside.resolve("made"));
            Files.createSymbolicLink(each.resolve("directory"), outside);
            Path inner = Files.createDirectories(each.resolve("a/b"));
            Files.createSymbolicLink(inner.resolve("outside"), outside);
        }
        startAndOffer();

        assertThat(outside).isDirectoryContaining(found -> found.equals(file));
        assertThat(outside.resolve("made")).doesNotExist();
        assertThat(file).hasContent("kept");
        assertThat(Files.getPosixFilePermissions(file)).isEqualTo(PosixFilePermissions.fromString("rw-------"));
        assertThat(Files.exists(directories.clients().resolve("a"), LinkOption.NOFOLLOW_LINKS))
                .isFalse();
    }

    /** A container of a version before this one may write there: its card is served to the others all the same. */
    @Test
    void directoriesInPlaceOfTheSocketAreRemovedHoweverDeepTheyAre() throws Exception {
        startAndOffer();
        Path clients = directories.clients();
        Files.delete(clients.resolve("control"));
        for (String name : List.of("control", ".control.next")) {
            Path deep = Files.createDirectories(clients.resolve(name).resolve("d/".repeat(100)));
            Files.createFile(deep.resolve("file"));
        }
        daemon.offer();
        assertThat(programs.inContainer(CARD).ask("get_server_list")).isInstanceOf(Reply.Answered.class);
        assertThat(clients).isDirectoryNotContaining(file -> !file.endsWith("control"));
    }

    @Test
    void aDirectoryThatCantBeOfferedIsNoFailure() throws Exception {
        startAndOffer();
        Files.delete(directories.clients().resolve("control"));
        Files.delete(directories.clients());
        daemon.offer();
        Files.createDirectory(directories.clients());
        daemon.offer();
        assertThat(programs.inContainer(CARD).ask("get_server_list")).isInstanceOf(Reply.Answered.class);
    }

    @Test
    void aLockOnAFileOfAnEarlierDaemonLocksNothing() throws Exception {
        Path lock = directories.daemon().resolve("control_lock");
        Files.writeString(lock, "");
        Process holder = new ProcessBuilder("flock", lock.toString(), "sleep", "20").start();
        try {
            await().until(() -> new ProcessBuilder("flock", "-n", lock.toString(), "true")
                            .start()
                            .waitFor()
                    != 0);
            startAndOffer();
            assertThat(daemon.alive()).isTrue();
        } finally {
            holder.descendants().forEach(ProcessHandle::destroyForcibly);
            holder.destroyForcibly();
        }
    }
}
