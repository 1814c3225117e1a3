package io.gpushare.plugin.node.offer;

import io.gpushare.time.Pause;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lock of the one process on a node that offers its cards, in whichever way, and answers the kubelet. The kernel
 * releases it when the process ends, however it does. Two of them run at once for a moment when the node's label moves
 * it from one DaemonSet to the other, and for ever when somebody installs this program twice.
 */
public final class NodeLock implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeLock.class);
    private static final Duration INTERVAL = Duration.ofMillis(100);
    private static final String FILE = "node.lock";
    private static final int LONGEST = 128;

    // Kept until the end: the lock ends with its channel.
    private final @Nullable FileChannel file;

    private NodeLock(@Nullable FileChannel file) {
        this.file = file;
    }

    /**
     * Waits for the lock.
     *
     * @param folder of the driver; without it no process of the node can offer cards by claims, and nothing is locked
     * @param self the name of this process, for the one that waits
     */
    public static NodeLock await(Path folder, String self, Pause pause) throws IOException, InterruptedException {
        if (!Files.isDirectory(folder)) {
            return new NodeLock(null);
        }
        FileChannel file = FileChannel.open(
                folder.resolve(FILE), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            awaitLock(file, pause);
            file.truncate(0);
            file.write(ByteBuffer.wrap(self.getBytes(StandardCharsets.UTF_8)), 0);
            return new NodeLock(file);
        } catch (IOException | InterruptedException e) {
            file.close();
            throw e;
        }
    }

    private static void awaitLock(FileChannel file, Pause pause) throws IOException, InterruptedException {
        boolean waited = false;
        while (!locked(file)) {
            if (!waited) {
                LOG.warn("another process offers the cards of this node ({}): waiting for its end", holder(file));
            }
            waited = true;
            pause.pause(INTERVAL);
        }
        if (waited) {
            LOG.info("the other process has ended");
        }
    }

    private static boolean locked(FileChannel file) throws IOException {
        try {
            return file.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false; // another program of this process has it
        }
    }

    private static String holder(FileChannel file) throws IOException {
        ByteBuffer name = ByteBuffer.allocate(LONGEST);
        file.read(name, 0);
        return new String(name.array(), 0, name.position(), StandardCharsets.UTF_8)
                .lines()
                .findFirst()
                .orElse("unknown");
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }
}
