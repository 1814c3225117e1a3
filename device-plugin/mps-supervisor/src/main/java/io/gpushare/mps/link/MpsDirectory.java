package io.gpushare.mps.link;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;

/**
 * The directory of MPS on a node, {@code /run/gpushare/mps}: for each card a directory with the files {@code want} (written
 * by the plugin) and {@code state} (by the supervisor), {@code pipe}, which containers get, and {@code log}. Clients of any
 * user connect by path, so all but the logs can be entered by everyone.
 */
public record MpsDirectory(Path root) {
    private static final String WANT = "want";
    private static final String STATE = "state";
    private static final Object LOOK = new Object();

    public MpsDirectory {
        Objects.requireNonNull(root);
    }

    private Path card(String uuid) {
        return root.resolve(uuid);
    }

    /** The directory of the control daemon's sockets. */
    public Path pipe(String uuid) {
        return card(uuid).resolve("pipe");
    }

    public Path log(String uuid) {
        return card(uuid).resolve("log");
    }

    /** Makes the directories of a card that are missing. */
    public void create(String uuid) throws IOException {
        for (Path open : new Path[] {root, card(uuid), pipe(uuid)}) {
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
        } catch (IOException e) {
            return false;
        }
    }

    public void write(String uuid, CardWant want) throws IOException {
        replace(card(uuid).resolve(WANT), want.fields());
    }

    public void write(String uuid, CardReport report) throws IOException {
        replace(card(uuid).resolve(STATE), report.fields());
    }

    /** What the plugin wants of that card; empty if it never wanted anything. */
    public Optional<CardWant> want(String uuid) throws IOException {
        return read(card(uuid).resolve(WANT)).map(CardWant::of);
    }

    /** What the supervisor last reported of that card; empty if none has served it. */
    public Optional<CardReport> report(String uuid) throws IOException {
        return read(card(uuid).resolve(STATE)).map(CardReport::of);
    }

    private static void replace(Path file, Map<String, String> fields) throws IOException {
        Properties properties = new Properties();
        properties.putAll(new TreeMap<>(fields));
        StringWriter text = new StringWriter();
        properties.store(text, null);
        Path next = file.resolveSibling(file.getFileName() + ".next");
        Files.writeString(next, text.toString(), StandardCharsets.UTF_8);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private static Optional<Fields> read(Path file) throws IOException {
        Properties properties = new Properties();
        try (var reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            properties.load(reader);
            return Optional.of(new Fields(properties));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IllegalArgumentException e) {
            throw new IOException(file + " is malformed", e);
        }
    }
}
