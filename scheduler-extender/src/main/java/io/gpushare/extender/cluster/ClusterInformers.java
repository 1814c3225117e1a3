package io.gpushare.extender.cluster;

import io.gpushare.extender.ledger.Ledger;
import io.gpushare.kubernetes.Informer;
import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.NodeState;
import io.gpushare.kubernetes.PodState;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The informers on nodes and pods, which keep the ledger a copy of what the API says. */
public final class ClusterInformers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterInformers.class);

    private final KubernetesApi api;
    private final Ledger ledger;
    private final Informer<NodeState> nodes;
    private final Informer<PodState> pods;
    private final Told<NodeState> nodesTold;
    private final Told<PodState> podsTold;
    private final String pluginNamespace;
    private volatile boolean caughtUp;

    private ClusterInformers(KubernetesApi api, Ledger ledger, String pluginNamespace) {
        this.api = api;
        this.ledger = ledger;
        nodesTold = new Told<>(this::nodeSeen, node -> ledger.nodeGone(node.name()));
        this.pluginNamespace = pluginNamespace;
        podsTold = new Told<>(this::podSeen, this::podGone);
        nodes = api.nodes().watch(nodesTold);
        pods = api.pods().watch(null, podsTold);
    }

    private void nodeSeen(NodeState node) {
        ledger.nodeAt(node.name(), node.address());
        ledger.nodeOffers(node.name(), node.devices());
        ledger.nodeSeen(node.name(), node.annotations(), node.allocatable());
    }

    private void podSeen(PodState pod) {
        if (isPlugin(pod)) {
            ledger.pluginAt(String.valueOf(pod.node()), pod.ref(), pod.ended() ? null : pod.metrics());
        }
        ledger.podSeen(PodClient.pod(pod));
    }

    private void podGone(PodState pod) {
        if (isPlugin(pod)) {
            ledger.pluginAt(String.valueOf(pod.node()), pod.ref(), null);
        }
        ledger.podGone(pod.ref());
    }

    /** Only of our own namespace: elsewhere anybody may give a pod these labels, and would be asked what nodes use. */
    private boolean isPlugin(PodState pod) {
        return pod.metrics() != null
                && pod.node() != null
                && pod.ref().namespace().equals(pluginNamespace);
    }

    /**
     * Begins to watch.
     *
     * @param pluginNamespace where the device plugins run
     */
    public static ClusterInformers start(KubernetesApi api, Ledger ledger, String pluginNamespace) {
        return new ClusterInformers(api, ledger, pluginNamespace);
    }

    /** Whether the ledger holds all that the first lists held; it stays true. */
    public boolean caughtUp() {
        if (!caughtUp && nodesTold.all(nodes) && podsTold.all(pods)) {
            caughtUp = true;
            LOG.info("the cluster is read: {} nodes, {} pods", nodesTold.heard.get(), podsTold.heard.get());
        }
        return caughtUp;
    }

    /**
     * Whether the ledger has every pod that is bound now, by a fresh list: the informers' own may come from a cache of
     * the API server that lags, and so may their watches. Blocks for its calls.
     */
    boolean current() throws KubernetesException {
        if (!caughtUp()) {
            return false;
        }
        AtomicLong unknown = new AtomicLong();
        api.pods().eachBound(pod -> {
            if (!ledger.knows(PodClient.pod(pod))) {
                unknown.incrementAndGet();
            }
        });
        return unknown.get() == 0;
    }

    /** When the API server was last heard of, by the plural of what is watched. */
    public Map<String, Instant> heard() {
        return Map.of("nodes", nodes.lastHeard(), "pods", pods.lastHeard());
    }

    /** How many changes were told to the ledger, by the plural of what is watched. */
    public Map<String, Long> changes() {
        return Map.of("nodes", nodesTold.changes(), "pods", podsTold.changes());
    }

    @Override
    public void close() {
        nodes.close();
        pods.close();
    }

    /** Passes events on and counts them: an informer is synced before its listener was told of every object. */
    private static final class Told<T> implements Informer.Listener<T> {
        private final Consumer<T> changed;
        private final Consumer<T> gone;
        private final AtomicLong heard = new AtomicLong();
        private final AtomicLong ends = new AtomicLong();

        Told(Consumer<T> changed, Consumer<T> gone) {
            this.changed = changed;
            this.gone = gone;
        }

        @Override
        public void changed(T now) {
            told(changed, now);
            heard.incrementAndGet();
        }

        @Override
        public void gone(T last) {
            told(gone, last);
            ends.incrementAndGet();
        }

        long changes() {
            return heard.get() + ends.get();
        }

        private static <T> void told(Consumer<T> ledger, T object) {
            try {
                ledger.accept(object);
            } catch (RuntimeException e) {
                // One object that we do not cope with must not end the watch of all others.
                LOG.error("the ledger could not take {}", object, e);
            }
        }

        /** The events of the first list come first and one for each object, so their number tells. */
        boolean all(Informer<T> watched) {
            return watched.synced() && heard.get() >= watched.all().size();
        }
    }
}
