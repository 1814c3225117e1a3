package io.gpushare.plugin.allocate.kubelet;

import io.gpushare.model.request.ResourceNames;
import io.gpushare.plugin.allocate.devices.DeviceResource;
import io.gpushare.time.Pause;
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
import java.util.Set;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the sockets of other device plugins on the node: gpushare's, HAMi's, NVIDIA's, or another process of this
 * program. With two plugins of one resource the kubelet gives devices of either, and each sees only half of the pods.
 */
public final class OtherPlugins {
    private static final Logger LOG = LoggerFactory.getLogger(OtherPlugins.class);
    private static final Duration INTERVAL = Duration.ofMillis(250);
    private static final String GPUSHARE = "aliyungpushare.sock";
    private static final String NVIDIA = "nvidia*.sock";

    private final Path pluginDir;
    private final boolean nvidiasResource;
    private String unreadable = "";

    /**
     * Finds the plugins of a node.
     *
     * @param pluginDir the kubelet's directory of device plugins
     * @param names the resources of this plugin: HAMi's plugin and NVIDIA's, with sockets of one name, may serve one of
     *     them
     */
    public OtherPlugins(Path pluginDir, ResourceNames names) {
        this.pluginDir = pluginDir;
        nvidiasResource = names.haveNvidias();
    }

    /** Returns once no other plugin serves. */
    public void awaitEnd(Pause pause) throws InterruptedException {
        boolean waited = false;
        for (Optional<Path> other = serving(Set.of()); other.isPresent(); other = serving(Set.of())) {
            if (!waited) {
                LOG.warn(
                        "another device plugin serves these resources on the node ({}): waiting until it is stopped",
                        other.get());
            }
            waited = true;
            pause.pause(INTERVAL);
        }
        if (waited) {
            LOG.info("the other device plugin has stopped");
        }
    }

    /**
     * The socket of a plugin that serves resources of this one.
     *
     * @param own the sockets on which this process listens
     */
    Optional<Path> serving(Set<Path> own) {
        List<String> ours =
                DeviceResource.STANDARD.stream().map(DeviceResource::socket).toList();
        return Stream.concat(Stream.of(GPUSHARE), ours.stream())
                .map(pluginDir::resolve)
                .filter(socket -> !own.contains(socket) && accepts(socket))
                .findFirst()
                .or(() -> nvidiasResource ? ofNvidia() : Optional.empty());
    }

    /** A warning if NVIDIA's device plugin, or a vendor's variant of it, serves another resource with these cards. */
    Optional<String> beside() {
        return (nvidiasResource ? Optional.<Path>empty() : ofNvidia())
                .map(socket -> "NVIDIA's device plugin serves this node as well (" + socket.getFileName()
                        + "): each card is offered twice, and pods of both may get the same one. Switch it off on this"
                        + " node.");
    }

    private Optional<Path> ofNvidia() {
        try (DirectoryStream<Path> sockets = Files.newDirectoryStream(pluginDir, NVIDIA)) {
            Optional<Path> serving = StreamSupport.stream(sockets.spliterator(), false)
                    .filter(OtherPlugins::accepts)
                    .findFirst();
            unreadable = "";
            return serving;
        } catch (IOException | DirectoryIteratorException e) {
            if (!e.toString().equals(unreadable)) {
                unreadable = e.toString();
                LOG.warn("can't see whether NVIDIA's device plugin serves this node: {}", e.getMessage());
            }
            return Optional.empty();
        }
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
