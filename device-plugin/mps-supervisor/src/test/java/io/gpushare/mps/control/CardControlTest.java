package io.gpushare.mps.control;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.mps.machine.Observation.Daemon;
import io.gpushare.mps.machine.Observation.Server;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CardControlTest {
    @Test
    void aCardThatNeverHadADaemonStartsNoProgram(@TempDir Path dir) throws Exception {
        SimulatedPrograms programs = new SimulatedPrograms(dir);
        CardControl control = new CardControl(
                new ControlProgram(dir.resolve("missing"), System.getenv(), programs.directories("own")),
                programs.daemon("own"));
        assertThat(control.look(0)).isEqualTo(new CardControl.DaemonState(Daemon.ABSENT, Optional.empty()));
    }

    /** The program prints 1,024 and 1,536 MiB alike. */
    @Test
    void aServerIsLimitedOnlyByWhatWasSetThere(@TempDir Path dir) throws Exception {
        SimulatedPrograms programs = new SimulatedPrograms(dir);
        ControlDaemon daemon = programs.daemon("own");
        CardControl control = new CardControl(programs.of("own"), daemon);
        try {
            daemon.start();
            await().until(() -> control.look(0).daemon() == Daemon.ANSWERING);
            control.startServer();
            Optional<Server> server = control.look(1024).server();
            long pid = server.orElseThrow().pid();
            assertThat(daemon.server(pid)).get().returns(pid, ProcessHandle::pid);
            assertThat(daemon.server(ProcessHandle.current().pid())).isEmpty();
            control.setLimit(server, 1024);

            assertThat(control.look(1024).server()).get().returns(true, Server::limited);
            assertThat(control.look(1536).server()).get().returns(false, Server::limited);
            control.setLimit(server, 1536);
            assertThat(control.look(1536).server()).get().returns(true, Server::limited);
            assertThat(control.look(1024).server()).get().returns(false, Server::limited);
        } finally {
            daemon.kill();
        }
    }

    /** Whoever puts another daemon in the place of the supervisor's would have his server taken for the card's. */
    @Test
    void aServerThatIsNotTheDaemonsDoesNotCount(@TempDir Path dir) throws Exception {
        SimulatedPrograms programs = new SimulatedPrograms(dir);
        ControlDaemon impostor = programs.daemon("own");
        CardControl control = new CardControl(programs.of("own"), programs.daemon("own"));
        try {
            impostor.start();
            await().until(() -> control.look(0).daemon() == Daemon.ANSWERING);
            control.startServer();
            assertThat(control.look(0)).isEqualTo(new CardControl.DaemonState(Daemon.SILENT, Optional.empty()));
        } finally {
            impostor.kill();
        }
    }

    @Test
    void anAnswerWithoutEndIsNone(@TempDir Path dir) throws Exception {
        SimulatedPrograms programs = new SimulatedPrograms(dir);
        Path endless = Files.writeString(dir.resolve("endless"), "#!/bin/sh\nexec yes\n");
        assertThat(endless.toFile().setExecutable(true)).isTrue();
        ControlProgram program = new ControlProgram(endless, System.getenv(), programs.directories("own"));
        long begin = System.nanoTime();
        assertThat(program.ask("get_server_list")).isEqualTo(new ControlProgram.Reply.Silent());
        assertThat(System.nanoTime() - begin)
                .as("it does not read until the time is over")
                .isLessThan(2_000_000_000L);
    }
}
