package io.gpushare.mps.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.mps.machine.Observation.Server;
import io.gpushare.mps.machine.Observation.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TerminationsTest {
    private static final Optional<Server> SERVER = Optional.of(new Server(20, Status.ACTIVE, true, 2));

    @TempDir
    Path dir;

    private Terminations terminations;

    /** A control program that notes its commands and replies with a file. */
    @BeforeEach
    void prepare() throws IOException {
        Path program = Files.writeString(
                dir.resolve("program"), "#!/bin/sh\ncat >> '" + dir + "/commands'\ncat '" + dir + "/reply'\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        terminations = new Terminations(new ControlProgram(program, System.getenv(), new PipeDirectories(dir, dir)));
    }

    @Test
    void aCommandIsRepeatedUntilTheDaemonReportsThatItWasDone() throws Exception {
        terminations.serve(List.of(31L), SERVER); // no reply, as without a daemon
        reply("Client not found\nTermination failed\n1\n");
        terminations.serve(List.of(31L), SERVER);
        reply("0\n");
        terminations.serve(List.of(31L), SERVER);
        terminations.serve(List.of(31L), SERVER);
        assertThat(commands()).hasSize(3).containsOnly("terminate_client 20 31");
    }

    @Test
    void aLaterProcessWithTheSameNumberIsTerminatedAsWell() throws Exception {
        reply("0\n");
        terminations.serve(List.of(31L), SERVER);
        terminations.serve(List.of(), Optional.empty());
        terminations.serve(List.of(31L), SERVER);
        assertThat(commands()).hasSize(2);
    }

    private void reply(String text) throws IOException {
        Files.writeString(dir.resolve("reply"), text);
    }

    private List<String> commands() throws IOException {
        return Files.readAllLines(dir.resolve("commands"));
    }
}
