package io.gpushare.plugin.node.cluster;

import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.codec.InventoryCodec;
import io.gpushare.model.hami.HamiRegister;
import io.gpushare.plugin.node.part.Backoff;
import io.gpushare.time.Machine;
import io.gpushare.time.PeriodicTask;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the inventory written on the node object, with the node's labels. Of a node that offers slots it writes
 * the cards in HAMi's form as well. It writes at every change and periodically,
 * so that a lost inventory (the node was recreated, or a user removed the annotation) returns. Writing it again changes
 * nothing at the API server.
 */
public final class InventoryPublisher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(InventoryPublisher.class);
    private static final Backoff FIRST = new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(30));
    private static final Duration AGAIN = Duration.ofMinutes(1);

    private final KubernetesApi api;
    private final String node;
    private final PeriodicTask task = PeriodicTask.onRequest("inventory", Duration.ZERO, this::write);
    private volatile @Nullable Inventory latest;
    private volatile @Nullable Inventory written;
    private Backoff backoff = FIRST;

    public InventoryPublisher(KubernetesApi api, String node) {
        this.api = api;
        this.node = node;
    }

    /** Starts; nothing is written before the first {@link #publish}. */
    public InventoryPublisher start() {
        task.start();
        return this;
    }

    /** Publishes this inventory from now on; returns at once. */
    public void publish(Inventory inventory) {
        latest = inventory;
        task.runSoon();
    }

    /** Publishes this inventory, and waits at most that long until it is written; returns whether it is. */
    public boolean publish(Inventory inventory, Duration timeout) throws InterruptedException {
        publish(inventory);
        long end = Machine.here().nanos() + timeout.toNanos();
        while (!inventory.equals(written) && Machine.here().nanos() < end) {
            Machine.here().pause(Duration.ofMillis(10));
        }
        return inventory.equals(written);
    }

    private Duration write() {
        @Nullable Inventory inventory = latest;
        if (inventory == null) {
            return PeriodicTask.ON_REQUEST;
        }
        boolean failing = !backoff.equals(FIRST);
        try {
            api.nodes().annotate(node, annotations(inventory));
            written = inventory;
            NodeLabels.write(api, node, inventory);
        } catch (KubernetesException e) {
            if (!failing) {
                LOG.warn("the inventory can't be written on the node, retrying: {}", e.getMessage());
            }
            Duration wait = backoff.next();
            backoff = backoff.failed();
            return wait;
        }
        if (failing) {
            LOG.info("the inventory can be written on the node again");
        }
        backoff = FIRST;
        return AGAIN;
    }

    private Map<String, @Nullable String> annotations(Inventory inventory) throws KubernetesException {
        Map<String, @Nullable String> annotations = new HashMap<>(InventoryCodec.annotations(inventory));
        if (!HamiRegister.registers(inventory) && registered()) {
            annotations.put(HamiRegister.KEY, null);
        }
        return annotations;
    }

    /** Whether this plugin, or one before it, registered the cards; what HAMi's own plugin wrote stays. */
    private boolean registered() throws KubernetesException {
        Optional<Inventory> before = written != null
                ? Optional.of(written)
                : api.nodes()
                        .read(node)
                        .flatMap(now -> InventoryCodec.decode(now.annotations()).valid());
        return before.filter(HamiRegister::registers).isPresent();
    }

    @Override
    public void close() {
        task.close();
    }
}
