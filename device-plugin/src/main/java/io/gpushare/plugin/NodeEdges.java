package io.gpushare.plugin;

import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.plugin.node.cards.CardSource;
import io.gpushare.plugin.node.cards.NvmlCards;
import io.gpushare.plugin.node.offer.NodeLock;
import io.gpushare.plugin.node.sockets.DomainSockets;
import io.gpushare.plugin.node.sockets.Sockets;
import io.gpushare.time.Clocks;
import io.gpushare.time.Pause;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** What the plugin is connected to: the cards, the kubelet and the API server. */
public interface NodeEdges {
    /** NVIDIA's driver, Unix sockets, and the API server over HTTP. */
    NodeEdges REAL = new NodeEdges() {
        @Override
        public CardSource cards(NvmlCards.Settings settings, Clocks clocks) {
            return new NvmlCards(settings, clocks);
        }

        @Override
        public Sockets sockets() {
            return new DomainSockets();
        }

        @Override
        public KubernetesApi api(@Nullable Path kubeconfig, String userAgent) throws IOException {
            return KubernetesApi.connect(kubeconfig, userAgent);
        }

        @Override
        public Closeable lock(Path folder, String self, Pause pause) throws IOException, InterruptedException {
            return NodeLock.await(folder, self, pause);
        }
    };

    /** The driver of the cards. */
    CardSource cards(NvmlCards.Settings settings, Clocks clocks);

    /** What the kubelet is called through, and calls. */
    Sockets sockets();

    /**
     * The connection to the API server, which sends nothing yet.
     *
     * @param kubeconfig null for the service account of the pod
     */
    KubernetesApi api(@Nullable Path kubeconfig, String userAgent) throws IOException;

    /**
     * Waits until no other process of the node offers its cards; the result ends that of this one.
     *
     * @param folder of the driver
     * @param self the name of this process, for the one that waits
     */
    Closeable lock(Path folder, String self, Pause pause) throws IOException, InterruptedException;
}
