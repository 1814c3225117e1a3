package io.gpushare.mps.control;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.Optional;

/**
 * The pipe directory of a control daemon, which containers don't have, and the one of its clients, in which they find a
 * hard link to the daemon's socket for clients. Over that socket the daemon takes no command that ends it, not even
 * from root: what may send one is the other socket, {@code control_privileged}.
 *
 * @param daemon with all files of the daemon
 * @param clients what containers get, read-only. Those of a version before this one may write there
 */
public record PipeDirectories(Path daemon, Path clients) {
    private static final String CONTROL = "control";
    private static final String NEXT = ".control.next";
    private static final int DEEPEST = 32;

    /**
     * Whether a daemon has ever listened: it makes its socket when it starts, and leaves it behind.
     */
    boolean mayHaveDaemon() {
        return Files.exists(control(), LinkOption.NOFOLLOW_LINKS);
    }

    private Path control() {
        return daemon.resolve(CONTROL);
    }

    /** Removes all files before a daemon starts: the daemon follows links, and a file may be locked. */
    void empty() throws IOException {
        empty(daemon);
        empty(clients);
    }

    private static void empty(Path directory) throws IOException {
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
            if (!(stream instanceof SecureDirectoryStream<Path> secure)) {
                throw new IOException(directory + " can't be emptied without following links");
            }
            empty(secure, DEEPEST);
        }
    }

    /** Nothing is found by its path: a container may replace a directory by a link meanwhile. */
    private static void empty(SecureDirectoryStream<Path> directory, int deepest) throws IOException {
        for (Path each : directory) {
            Path name = Objects.requireNonNull(each.getFileName());
            if (!attributes(directory, name).isDirectory()) {
                directory.deleteFile(name);
                continue;
            }
            if (deepest == 0) {
                throw new IOException(each + " has too many directories in one another: remove it");
            }
            try (SecureDirectoryStream<Path> inner = directory.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
                empty(inner, deepest - 1);
            }
            directory.deleteDirectory(name);
        }
    }

    private static BasicFileAttributes attributes(SecureDirectoryStream<Path> directory, Path name) throws IOException {
        return directory
                .getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .readAttributes();
    }

    /** Lets clients connect to the daemon; whether their directory had another file in place of its socket. */
    boolean offer() throws IOException {
        Optional<Object> socket = key(control());
        Optional<Object> offered = key(clients.resolve(CONTROL));
        if (socket.isEmpty() || socket.equals(offered)) {
            return false;
        }
        Path next = clients.resolve(NEXT);
        Files.deleteIfExists(next);
        Files.createLink(next, control());
        Files.move(next, clients.resolve(CONTROL), StandardCopyOption.ATOMIC_MOVE);
        return offered.isPresent();
    }

    private static Optional<Object> key(Path file) throws IOException {
        return Files.exists(file, LinkOption.NOFOLLOW_LINKS)
                ? Optional.ofNullable(Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                        .fileKey())
                : Optional.empty();
    }
}
