package io.gpushare.mps.control;

import io.gpushare.mps.link.SharedDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pipe directory of a control daemon, which containers don't have, and the one of its clients, in which they find a
 * hard link to the daemon's socket for clients. Over that socket the daemon takes no command that ends it, not even
 * from root: what may send one is the other socket, {@code control_privileged}.
 *
 * @param daemon with all files of the daemon
 * @param clients what containers get, read-only. Those of a version before this one may write there
 */
public record PipeDirectories(Path daemon, Path clients) {
    private static final Logger LOG = LoggerFactory.getLogger(PipeDirectories.class);
    private static final String CONTROL = "control";

    /**
     * Whether a daemon has ever listened: it makes its socket when it starts, and leaves it behind.
     */
    boolean mayHaveDaemon() {
        return Files.exists(control(), LinkOption.NOFOLLOW_LINKS);
    }

    private Path control() {
        return daemon.resolve(CONTROL);
    }

    /**
     * Removes all files before a daemon starts: it follows links, and a file may be locked. What can't be removed from
     * the clients' directory, in which the daemon opens nothing, is left to {@link #offer}.
     */
    void empty() throws IOException {
        SharedDirectory.empty(daemon);
        try {
            SharedDirectory.empty(clients);
        } catch (IOException e) {
            LOG.debug("{} can't be emptied yet", clients, e);
        }
    }

    /** Lets clients connect to the daemon; whether their directory had another file in place of its socket. */
    boolean offer() throws IOException {
        Optional<Object> socket = key(control());
        Optional<Object> offered = key(clients.resolve(CONTROL));
        if (socket.isEmpty() || socket.equals(offered)) {
            return false;
        }
        SharedDirectory.empty(clients);
        Files.createLink(clients.resolve(CONTROL), control());
        return offered.isPresent();
    }

    private static Optional<Object> key(Path file) throws IOException {
        return Files.exists(file, LinkOption.NOFOLLOW_LINKS)
                ? Optional.ofNullable(Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                        .fileKey())
                : Optional.empty();
    }
}
