package io.gpushare.plugin.cluster;

import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.model.codec.InventoryCodec;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the inventory written on the node object. It writes at every change and periodically, so that a lost inventory (the
 * node was recreated, or a user removed the annotation) returns. Writing it again changes nothing at the API server.
 */
public final class InventoryPublisher implements AutoCloseable {
    /**
     * The delays until the next write.
     *
     * @param first after the first failure; it doubles with each further one
     * @param longest after any failure
     * @param again after a success
     */
    public record Pace(Duration first, Duration longest, Duration again) {
        public static final Pace USUAL = new Pace(Duration.ofSeconds(1), Duration.ofSeconds(30), Duration.ofMinutes(1));
    }

    /** Writes the inventory on this node. */
    @FunctionalInterface
    public interface Writer {
        void write(Inventory inventory) throws KubernetesException;
    }

    private static final Logger LOG = LoggerFactory.getLogger(InventoryPublisher.class);

    private final Writer node;
    private final Pace pace;
    private final BlockingQueue<Inventory> changes = new LinkedBlockingQueue<>();
    private final Thread thread = new Thread(this::run, "inventory");
    private boolean failing;

    private InventoryPublisher(Writer node, Pace pace) {
        this.node = node;
        this.pace = pace;
    }

    /** Writes the annotation and the labels of that node; nothing is written before the first {@link #publish}. */
    public static InventoryPublisher start(KubernetesApi api, String node) {
        return start(
                inventory -> {
                    api.nodes().annotate(node, Map.of(AnnotationKeys.INVENTORY, InventoryCodec.encode(inventory)));
                    NodeLabels.write(api, node, inventory);
                },
                Pace.USUAL);
    }

    static InventoryPublisher start(Writer node, Pace pace) {
        InventoryPublisher publisher = new InventoryPublisher(node, pace);
        publisher.thread.setDaemon(true);
        publisher.thread.start();
        return publisher;
    }

    /** Publishes this inventory from now on; returns at once. */
    public void publish(Inventory inventory) {
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
        return twice.compareTo(pace.longest()) > 0 ? pace.longest() : twice;
    }

    private boolean annotate(Inventory inventory) {
        try {
            node.write(inventory);
            if (failing) {
                LOG.info("the inventory can be written on the node again");
            }
            failing = false;
            return true;
        } catch (KubernetesException e) {
            if (!failing) {
                LOG.warn("the inventory can't be written on the node, retrying: {}", e.getMessage());
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
