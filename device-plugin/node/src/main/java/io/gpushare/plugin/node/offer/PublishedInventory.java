package io.gpushare.plugin.node.offer;

import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.NoCards;
import io.gpushare.plugin.node.cluster.InventoryPublisher;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The inventory that the extender reads, from the first one to the announcement of a planned end. */
public final class PublishedInventory {
    private static final Logger LOG = LoggerFactory.getLogger(PublishedInventory.class);
    private static final Duration ANNOUNCEMENT_TIMEOUT = Duration.ofSeconds(3);

    private final InventoryPublisher publisher;
    private volatile @Nullable Inventory published;
    private boolean leaving;

    public PublishedInventory(InventoryPublisher publisher) {
        this.publisher = publisher;
    }

    /** Whether there is one: before, the pods of the node are not counted yet. */
    public boolean known() {
        return published != null;
    }

    /**
     * The first time not before the kubelet gives devices: the extender binds pods once it knows the inventory.
     *
     * @param watched whether the kubelet gives devices
     */
    public synchronized void publish(Inventory now, boolean watched) {
        if (!leaving && !now.equals(published) && (known() || watched)) {
            published = now;
            publisher.publish(now);
        }
    }

    /**
     * Says that the plugin is restarting, and publishes nothing more; returns whether there is anything to wait for.
     */
    public boolean leave() throws InterruptedException {
        @Nullable Inventory last;
        synchronized (this) {
            leaving = true;
            last = published;
        }
        if (last == null) {
            return false;
        }
        NoCards why = new NoCards(NoCards.Cause.PLUGIN_RESTARTING);
        if (!publisher.publish(last.withNoCards(why), ANNOUNCEMENT_TIMEOUT)) {
            LOG.warn("the end of the plugin could not be announced: pods that are bound now may be rejected");
        }
        return true;
    }
}
