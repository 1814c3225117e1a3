package io.gpushare.plugin.node.cluster;

import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.NodeState;
import io.gpushare.model.card.CardId;
import io.gpushare.model.codec.CordonCodec;
import io.gpushare.plugin.node.cards.NodePause;
import io.gpushare.time.PeriodicTask;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the cordoned cards and the labels from the node object periodically. It does not watch, because that needs a
 * permission on all nodes. While the node can't be read, what was known last applies.
 */
public final class NodePoller implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodePoller.class);
    private static final Duration INTERVAL = Duration.ofSeconds(10);

    /** Reads this node. */
    @FunctionalInterface
    public interface NodeReader {
        Optional<NodeState> node() throws KubernetesException;
    }

    private final NodeReader reader;
    private final Consumer<Set<CardId>> listener;
    private final NodePause pause;
    private final PeriodicTask task = new PeriodicTask("node", this::poll);
    private @Nullable Set<CardId> reported;
    private List<String> complaints = List.of();
    private boolean failing;

    /**
     * Makes one.
     *
     * @param listener receives the cordoned cards after the first attempt to read them, and when they change
     * @param pause learns the labels at each attempt
     */
    public NodePoller(NodeReader reader, Consumer<Set<CardId>> listener, NodePause pause) {
        this.reader = reader;
        this.listener = listener;
        this.pause = pause;
    }

    /** Starts to read. */
    public NodePoller start() {
        task.start();
        return this;
    }

    private Duration poll() {
        Set<CardId> now = read(reported == null ? Set.of() : reported);
        if (!now.equals(reported)) {
            if (reported != null || !now.isEmpty()) {
                LOG.info("cordoned cards: {}", now.isEmpty() ? "none" : now);
            }
            reported = now;
            listener.accept(now);
        }
        return INTERVAL;
    }

    private Set<CardId> read(Set<CardId> last) {
        try {
            Optional<NodeState> node = reader.node();
            node.map(NodeState::labels).ifPresentOrElse(pause::labels, pause::unreadable);
            Optional<CordonCodec> now = node.map(found -> CordonCodec.decode(found.annotations()));
            failing = false;
            now.map(CordonCodec::complaints)
                    .filter(all -> !all.equals(complaints))
                    .ifPresent(all -> {
                        complaints = all;
                        complaints.forEach(LOG::warn);
                    });
            return now.map(CordonCodec::cards).orElse(last);
        } catch (KubernetesException e) {
            pause.unreadable();
            if (!failing) {
                LOG.warn("the cordoned cards can't be read, the last known ones apply: {}", e.getMessage());
            }
            failing = true;
            return last;
        }
    }

    @Override
    public void close() {
        task.close();
    }
}
