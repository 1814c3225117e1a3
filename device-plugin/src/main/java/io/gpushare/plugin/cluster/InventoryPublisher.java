package io.gpushare.plugin.cluster;

import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.model.card.Inventory;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the inventory written on the node: at every change, and again once in a while, so that one that was lost (the
 * node was created anew, or somebody removed it) comes back. Writing the same again changes nothing at the API server.
 */
public final class InventoryPublisher implements AutoCloseable {
    /** How long to wait before writing again: after a failure, twice as long each time up to the most, and when all is well. */
    public record Pace(Duration first, Duration most, Duration again) {
        public static final Pace USUAL = new Pace(Duration.ofSeconds(1), Duration.ofSeconds(30), Duration.ofMinutes(1));
    }

    /** Writes the inventory on this node. */
    @FunctionalInterface
    public interface Writing {
        void write(Inventory inventory) throws KubernetesException;
    }

    private static final Logger LOG = LoggerFactory.getLogger(InventoryPublisher.class);

    private final Writing node;
    private final Pace pace;
    private final BlockingQueue<Inventory> changes = new LinkedBlockingQueue<>();
    private final Thread thread = new Thread(this::run, "inventory-note");
    private boolean failing;

    private InventoryPublisher(Writing node, Pace pace) {
        this.node = Objects.requireNonNull(node);
        this.pace = Objects.requireNonNull(pace);
    }

    /** Begins; nothing is written before the first {@link #write}. */
    public static InventoryPublisher start(Writing node, Pace pace) {
        InventoryPublisher note = new InventoryPublisher(node, pace);
        note.thread.setDaemon(true);
        note.thread.start();
        return note;
    }

    /** This is the inventory from now on; returns at once. */
    public void write(Inventory inventory) {
        changes.add(inventory);
    }

    private void run() {
        try {
            Inventory now = newest(changes.take());
            Duration wait = pace.first();
            while (true) {
                boolean written = annotate(now);
                Duration next = written ? pace.again() : wait;
                wait = written ? pace.first() : longer(wait);
                @Nullable Inventory changed = changes.poll(next.toMillis(), TimeUnit.MILLISECONDS);
                now = changed == null ? now : newest(changed);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Inventory newest(Inventory taken) {
        Inventory newest = taken;
        for (Inventory later = changes.poll(); later != null; later = changes.poll()) {
            newest = later;
        }
        return newest;
    }

    private Duration longer(Duration wait) {
        Duration twice = wait.multipliedBy(2);
        return twice.compareTo(pace.most()) > 0 ? pace.most() : twice;
    }

    private boolean annotate(Inventory inventory) {
        try {
            node.write(inventory);
            if (failing) {
                LOG.info("the inventory is written on the node again");
            }
            failing = false;
            return true;
        } catch (KubernetesException e) {
            if (!failing) {
                LOG.warn("the inventory can't be written on the node, trying again: {}", e.getMessage());
            }
            failing = true;
            return false;
        }
    }

    @Override
    public void close() {
        thread.interrupt();
        try {
            thread.join(Duration.ofSeconds(1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
