package io.gpushare.mps.control;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a daemon prints, in {@code control.log} and the file before it. The daemon logs each question of the supervisor,
 * so the files are bounded.
 */
final class DaemonLog {
    private static final Logger LOG = LoggerFactory.getLogger(DaemonLog.class);
    private static final int MOST = 1 << 20;
    /** The daemon logs what clients send; what is longer is cut, and control characters are replaced. */
    private static final int LONGEST_LINE = 1 << 12;

    private final Path file;
    private final WaitingUsers users = new WaitingUsers();

    /** @param directory an existing one */
    DaemonLog(Path directory) {
        file = directory.resolve("control.log");
    }

    /** Reads on a thread of its own until the daemon has ended. */
    void follow(InputStream output) {
        Thread.ofPlatform().name("mps-log").daemon().start(() -> read(output));
    }

    void read(InputStream output) {
        try (var text = new BufferedReader(new InputStreamReader(output, StandardCharsets.UTF_8))) {
            StringBuilder line = new StringBuilder();
            for (int next = text.read(); next >= 0; next = text.read()) {
                if (next == '\n') {
                    users.read(line.toString());
                    keep(line.append('\n').toString());
                    line.setLength(0);
                } else if (line.length() < LONGEST_LINE) {
                    line.append(Character.isISOControl(next) ? '?' : (char) next);
                }
            }
        } catch (IOException e) {
            LOG.debug("{} ends", file, e);
        }
    }

    /** Where it fails, reading goes on: the daemon would hang. */
    private void keep(String line) {
        try {
            if (Files.exists(file) && Files.size(file) + line.length() > MOST) {
                Files.move(file, file.resolveSibling("control.log.1"), StandardCopyOption.REPLACE_EXISTING);
            }
            Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            LOG.debug("a line of {} is lost", file, e);
        }
    }

    /** The processes that wait until those of another user have ended. */
    List<Long> waiting() {
        return users.waiting().stream()
                .filter(pid -> ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false))
                .toList();
    }
}
