package io.gpushare.plugin.cluster;

import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.NodeState;
import io.gpushare.model.card.CardId;
import io.gpushare.model.codec.CordonCodec;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the cordoned cards from the node object periodically. It does not watch, because that needs a permission on all
 * nodes. While the node can't be read, the last known cordons apply.
 */
public final class CordonPoller implements AutoCloseable {
    /** The usual interval. */
    public static final Duration USUAL = Duration.ofSeconds(10);

    /** Reads this node. */
    @FunctionalInterface
    public interface NodeReader {
        Optional<NodeState> node() throws KubernetesException;
    }

    private static final Logger LOG = LoggerFactory.getLogger(CordonPoller.class);

    private final NodeReader reader;
    private final Consumer<Set<CardId>> listener;
    private final Duration interval;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "cordons");

    // Only the thread uses the fields below.
    private Set<CardId> last = Set.of();
    private List<String> complaints = List.of();
    private boolean failing;

    private CordonPoller(NodeReader reader, Consumer<Set<CardId>> listener, Duration interval) {
        this.reader = reader;
        this.listener = listener;
        this.interval = interval;
    }

    /** Starts; the listener receives the cordoned cards after the first attempt to read them, and when they change. */
    public static CordonPoller start(NodeReader reader, Consumer<Set<CardId>> listener, Duration interval) {
        CordonPoller poller = new CordonPoller(reader, listener, interval);
        poller.thread.setDaemon(true);
        poller.thread.start();
        return poller;
    }

    private void run() {
        try {
            poll();
            listener.accept(last);
            while (!stopped.await(interval.toMillis(), TimeUnit.MILLISECONDS)) {
                if (poll()) {
                    listener.accept(last);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Reads once; returns whether the cordoned cards changed. */
    private boolean poll() {
        try {
            Optional<NodeState> node = reader.node();
            failing = false;
            return node.isPresent() && changed(CordonCodec.decode(node.get().annotations()));
        } catch (KubernetesException e) {
            if (!failing) {
                LOG.warn("the cordoned cards can't be read, the last known ones apply: {}", e.getMessage());
            }
            failing = true;
            return false;
        }
    }

    private boolean changed(CordonCodec now) {
        if (!now.complaints().equals(complaints)) {
            complaints = now.complaints();
            complaints.forEach(LOG::warn);
        }
        if (now.cards().equals(last)) {
            return false;
        }
        last = now.cards();
        LOG.info("cordoned cards: {}", last.isEmpty() ? "none" : last);
        return true;
    }

    @Override
    public void close() {
        stopped.countDown();
        thread.interrupt();
    }
}
