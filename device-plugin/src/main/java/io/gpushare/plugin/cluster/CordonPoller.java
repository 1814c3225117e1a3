package io.gpushare.plugin.cluster;

import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.NodeState;
import io.gpushare.model.card.CardId;
import io.gpushare.model.codec.CordonCodec;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads from the node, once in a while, which of its cards are cordoned. Not by a watch: that takes a permission on all
 * nodes. What can't be read leaves the cordons as they were last known.
 */
public final class CordonPoller implements AutoCloseable {
    /** The usual time between two looks. */
    public static final Duration USUAL = Duration.ofSeconds(10);

    /** This node as it is now. */
    @FunctionalInterface
    public interface Reading {
        Optional<NodeState> node() throws KubernetesException;
    }

    private static final Logger LOG = LoggerFactory.getLogger(CordonPoller.class);

    private final Reading reading;
    private final Consumer<Set<CardId>> told;
    private final Duration interval;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "cordons");

    // Only the thread touches what follows.
    private Set<CardId> last = Set.of();
    private List<String> complaints = List.of();
    private boolean silent;

    private CordonPoller(Reading reading, Consumer<Set<CardId>> told, Duration interval) {
        this.reading = Objects.requireNonNull(reading);
        this.told = Objects.requireNonNull(told);
        this.interval = Objects.requireNonNull(interval);
    }

    /** Begins; {@code told} gets the cordoned cards after the first look, whatever it found, and when they changed. */
    public static CordonPoller start(Reading reading, Consumer<Set<CardId>> told, Duration interval) {
        CordonPoller watch = new CordonPoller(reading, told, interval);
        watch.thread.setDaemon(true);
        watch.thread.start();
        return watch;
    }

    private void run() {
        try {
            look();
            told.accept(last);
            while (!stopped.await(interval.toMillis(), TimeUnit.MILLISECONDS)) {
                if (look()) {
                    told.accept(last);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Reads once; whether other cards are cordoned than before. */
    private boolean look() {
        try {
            Optional<NodeState> node = reading.node();
            silent = false;
            return node.isPresent() && changed(CordonCodec.decode(node.get().annotations()));
        } catch (KubernetesException e) {
            if (!silent) {
                LOG.warn("which cards are cordoned can't be read, the last known hold: {}", e.getMessage());
            }
            silent = true;
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
