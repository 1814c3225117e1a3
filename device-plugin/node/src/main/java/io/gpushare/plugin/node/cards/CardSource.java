package io.gpushare.plugin.node.cards;

import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.NoCards;
import io.gpushare.plugin.node.isolation.driver.MemoryLimits;
import io.gpushare.plugin.node.usage.CardUsages;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A vendor's driver, as the node reads it: NVML stands behind it, and is known nowhere else. */
public interface CardSource {
    /** Starts to scan. */
    Scan scan(Listener listener);

    /** The process IDs of what computes on that card now; empty where the driver does not say it. */
    Optional<List<Long>> processes(CardId card);

    /** The driver's memory limits. */
    MemoryLimits memoryLimits();

    /** A running scan of the node's cards; it ends when it is closed. */
    interface Scan extends AutoCloseable {
        /** The number of Xid errors so far, by card and code. */
        Map<CardXid, Long> counts();

        @Override
        void close();
    }

    /** Receives reports about the cards, on the scanning thread. */
    public interface Listener {
        /** The whole inventory, when it differs from the previous one. */
        void inventory(Inventory now);

        /** The driver contradicts an option. */
        void refused();

        /**
         * Another version of the driver was loaded, and only a new container gets its library; a sentence about that.
         */
        void driverReplaced(String reported);

        /** Why no card is offered, at each scan while that lasts. */
        void noCards(NoCards why);

        /** The usage of the cards, every few seconds while the driver responds. */
        void usage(CardUsages now);

        /** An Xid error of a card; the remedy is a part of a sentence. */
        void xid(CardId card, long xid, String remedy);
    }
}
