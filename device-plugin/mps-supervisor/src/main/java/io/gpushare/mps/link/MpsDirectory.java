package io.gpushare.mps.link;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/**
 * The directory of MPS on a node, {@code /run/gpushare/mps}: for each card a directory with the files {@code want}
 * (written by the plugin) and {@code state} (by the supervisor), {@code daemon} with the files of the control daemon,
 * {@code pipe}, which containers get, and {@code log}. Clients and servers of any user connect by path, so all but the
 * logs can be entered by everyone.
 */
public record MpsDirectory(Path root) {
    private static final String WANT = "want";
    private static final String STATE = "state";
    /** Of the UUID of every card and MIG instance. */
    private static final int UUID_LENGTH = 40;

    private static final String LONGEST_SOCKET = "control_privileged";
    private static final int LONGEST_PATH = 107;
    private static final Object LOOK = new Object();

    // Versions may differ by a field: one that is missing has its default.
    private static final JsonMapper JSON = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .defaultSetterInfo(JsonSetter.Value.forValueNulls(Nulls.AS_EMPTY))
            .build();

    private Path card(String uuid) {
        return root.resolve(uuid);
    }

    /** The pipe directory of the control daemon. Who has its privileged socket can end the daemon. */
    public Path daemon(String uuid) {
        return card(uuid).resolve("daemon");
    }

    /** The pipe directory of clients, with the daemon's socket for them. */
    public Path pipe(String uuid) {
        return card(uuid).resolve("pipe");
    }

    public Path log(String uuid) {
        return card(uuid).resolve("log");
    }

    /** Why no daemon can run here, as a sentence: the path of its longest socket is too long; empty if one can. */
    public Optional<String> problem() {
        String socket = daemon("x".repeat(UUID_LENGTH)).resolve(LONGEST_SOCKET).toString();
        int length = socket.getBytes(StandardCharsets.UTF_8).length;
        return length <= LONGEST_PATH
                ? Optional.empty()
                : Optional.of("--mps-dir=" + root + " is too long: the sockets of MPS would have paths of " + length
                        + " bytes, and at most " + LONGEST_PATH + " are possible: use a directory whose path is "
                        + (length - LONGEST_PATH) + " bytes shorter");
    }

    /** Makes the directories of a card that are missing. */
    public void create(String uuid) throws IOException {
        for (Path open : new Path[] {root, card(uuid), daemon(uuid), pipe(uuid)}) {
            Files.createDirectories(open);
            Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        Files.createDirectories(log(uuid));
        Files.setPosixFilePermissions(log(uuid), PosixFilePermissions.fromString("rwx------"));
    }

    /** The file that a supervisor locks as long as it lives. */
    public Path lock() {
        return root.resolve("lock");
    }

    /** Whether a supervisor serves the node. Locks are the process's, so only one of its threads looks at a time. */
    public boolean supervised() {
        synchronized (LOOK) {
            return locked();
        }
    }

    private boolean locked() {
        try (FileChannel file = FileChannel.open(lock(), StandardOpenOption.READ);
                FileLock shared = file.tryLock(0, Long.MAX_VALUE, true)) {
            return shared == null;
        } catch (OverlappingFileLockException e) {
            return true; // a supervisor of this process has it
        } catch (IOException e) {
            return false;
        }
    }

    public void write(String uuid, CardWant want) throws IOException {
        replace(card(uuid).resolve(WANT), want);
    }

    public void write(String uuid, CardReport report) throws IOException {
        replace(card(uuid).resolve(STATE), report);
    }

    /** What the plugin wants of that card; empty if it never wanted anything. */
    public Optional<CardWant> want(String uuid) throws IOException {
        return read(card(uuid).resolve(WANT), CardWant.class);
    }

    /** What the supervisor last reported of that card; empty if none has served it. */
    public Optional<CardReport> report(String uuid) throws IOException {
        return read(card(uuid).resolve(STATE), CardReport.class);
    }

    /**
     * Forgets what was wanted and reported of a card. The other files stay: a container may still have the directory,
     * and an instance may come back under its UUID.
     */
    public void remove(String uuid) throws IOException {
        Files.deleteIfExists(card(uuid).resolve(STATE));
        Files.deleteIfExists(card(uuid).resolve(WANT));
    }

    private static void replace(Path file, Object content) throws IOException {
        Path next = file.resolveSibling(file.getFileName() + ".next");
        Files.write(next, JSON.writeValueAsBytes(content));
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private static <T> Optional<T> read(Path file, Class<T> type) throws IOException {
        try {
            return Optional.of(JSON.readValue(Files.readAllBytes(file), type));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }
}
