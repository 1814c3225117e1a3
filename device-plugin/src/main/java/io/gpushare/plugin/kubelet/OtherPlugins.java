package io.gpushare.plugin.kubelet;

import io.gpushare.plugin.devices.DeviceResource;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds other device plugins on the node. Waits until none serves the resources of this one: gpushare's, or another
 * process of this program. With two plugins of one resource the kubelet gives devices of either, and each sees only
 * half of the pods.
 */
public final class OtherPlugins {
    private static final Logger LOG = LoggerFactory.getLogger(OtherPlugins.class);
    private static final Duration INTERVAL = Duration.ofMillis(250);
    private static final String GPUSHARE = "aliyungpushare.sock";
    private static final String NVIDIA = "nvidia*.sock";

    private OtherPlugins() {}

    /**
     * Returns once no other plugin serves.
     *
     * @param pluginDir the kubelet's directory of device plugins
     * @param slots whether this plugin serves slots: HAMi's plugin and NVIDIA's, with sockets of one name, serve that
     *     resource too
     */
    public static void awaitEnd(Path pluginDir, boolean slots) throws InterruptedException {
        boolean waited = false;
        for (Optional<Path> other = serving(pluginDir, slots); other.isPresent(); other = serving(pluginDir, slots)) {
            if (!waited) {
                LOG.warn(
                        "another device plugin serves these resources on the node ({}): waiting until it is stopped",
                        other.get());
            }
            waited = true;
            TimeUnit.MILLISECONDS.sleep(INTERVAL.toMillis());
        }
        if (waited) {
            LOG.info("the other device plugin has stopped");
        }
    }

    /** A warning, which is logged, if NVIDIA's device plugin or a vendor's variant of it serves the node. */
    public static Optional<String> warningOfNvidia(Path pluginDir) {
        Optional<String> warning = ofNvidia(pluginDir)
                .map(socket -> "NVIDIA's device plugin serves this node as well (" + socket.getFileName()
                        + "): each card is offered twice, and pods of both may get the same one. Switch it off on this"
                        + " node.");
        warning.ifPresent(LOG::warn);
        return warning;
    }

    private static Optional<Path> ofNvidia(Path pluginDir) {
        try (DirectoryStream<Path> sockets = Files.newDirectoryStream(pluginDir, NVIDIA)) {
            return StreamSupport.stream(sockets.spliterator(), false)
                    .filter(OtherPlugins::accepts)
                    .findFirst();
        } catch (IOException | DirectoryIteratorException e) {
            LOG.warn("can't see whether NVIDIA's device plugin serves this node: {}", e.getMessage());
            return Optional.empty();
        }
    }

    private static Optional<Path> serving(Path pluginDir, boolean slots) {
        Optional<Path> ofSlots = slots ? ofNvidia(pluginDir) : Optional.empty();
        if (ofSlots.isPresent()) {
            return ofSlots;
        }
        List<String> own =
                DeviceResource.STANDARD.stream().map(DeviceResource::socket).toList();
        return Stream.concat(Stream.of(GPUSHARE), own.stream())
                .map(pluginDir::resolve)
                .filter(OtherPlugins::accepts)
                .findFirst();
    }

    /** Whether a process listens on the socket; a plugin that was killed leaves its socket behind. */
    private static boolean accepts(Path socket) {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            return channel.connect(UnixDomainSocketAddress.of(socket));
        } catch (IOException _) {
            return false;
        }
    }
}
