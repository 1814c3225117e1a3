package io.gpushare.mps.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DaemonLogTest {
    private static final long MIB = 1 << 20;

    /** The daemon logs the questions of the supervisor, day and night. */
    @Test
    void aLongLogIsBoundedAndWhoWaitsIsKnown(@TempDir Path dir) throws IOException {
        long waiting = ProcessHandle.current().pid();
        String questions = ("[t Control 1] NEW UI " + "x".repeat(1000) + "\n").repeat(2500);
        String text = "[t Control 1] Starting new server 20 for user 0\n"
                + questions
                + "[t Control 1] NEW CLIENT " + waiting
                + " from user 1000: Server is not ready, push client to pending list\n"
                + questions;
        DaemonLog log = new DaemonLog(dir);
        log.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));

        assertThat(log.waiting()).containsExactly(waiting);
        assertThat(Files.size(dir.resolve("control.log"))).isBetween(1L, MIB);
        assertThat(Files.size(dir.resolve("control.log.1"))).isBetween(1L, MIB);
    }

    /** What clients send is logged, and they may send anything. */
    @Test
    void aLineWithoutEndIsCutAndWhatClientsSendSaysNothing(@TempDir Path dir) throws IOException {
        long pid = ProcessHandle.current().pid();
        String text = "[t Control 1] Starting new server 20 for user 0\n[t Control 1] Cmd:NEW CLIENT " + pid
                + " from user 1000: \033[2J" + "x".repeat(1 << 20) + "\n";
        DaemonLog log = new DaemonLog(dir);
        log.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));

        assertThat(log.waiting()).isEmpty();
        assertThat(Files.size(dir.resolve("control.log"))).isLessThan(10_000);
        assertThat(Files.readString(dir.resolve("control.log"))).contains("user 1000: ?[2Jxxx");
    }
}
