package io.gpushare.plugin.allocate.kubelet;

import static io.gpushare.model.request.ResourceNames.DEFAULT;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.simulated.patience.Patience;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** HAMi's plugin and NVIDIA's serve the resource that counts slots, on sockets of one name. */
class OtherPluginsTest {
    private static final Duration PATIENCE = Patience.of(Patience.USUAL);
    private static final Duration A_WHILE = Duration.ofSeconds(1);

    @TempDir
    private Path folder;

    @Test
    void aPluginThatServesSlotsWaitsUntilTheOtherOneHasStopped() throws Exception {
        Thread waiting;
        try (ServerSocketChannel _ = listening("nvidia-gpu.sock")) {
            waiting = waiting(true);
            assertThat(waiting.join(A_WHILE)).isFalse();
        }
        // The socket stays behind, as that of a plugin that was killed.
        assertThat(waiting.join(PATIENCE)).isTrue();
    }

    @Test
    void onlyThePluginsOfTheSameResourcesAreWaitedFor() throws Exception {
        try (ServerSocketChannel _ = listening("nvidia-gpu.sock")) {
            assertThat(waiting(false).join(PATIENCE)).isTrue();
        }
        try (ServerSocketChannel _ = listening("aliyungpushare.sock")) {
            assertThat(waiting(false).join(A_WHILE)).isFalse();
        }
    }

    private Thread waiting(boolean slots) {
        return Thread.startVirtualThread(() -> {
            try {
                new OtherPlugins(folder, slots ? DEFAULT.withHami() : DEFAULT).awaitEnd(Thread::sleep);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private ServerSocketChannel listening(String socket) throws IOException {
        ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        channel.bind(UnixDomainSocketAddress.of(folder.resolve(socket)));
        return channel;
    }
}
