package io.gpushare.plugin.node.holdings;

import io.gpushare.model.card.Inventory;
import java.util.Set;

/** A protocol by which pods get cards. It knows its holders whether its offer is the active one or not. */
public interface HoldingsSource {
    Offer offer();

    /** Who has what of these cards by its offer. It does no I/O. */
    OfferHoldings on(Inventory inventory);

    /**
     * The same if the pods with these UIDs have processes that run: what is recorded of such a pod counts, as far as
     * nothing else is known of it.
     */
    default OfferHoldings on(Inventory inventory, Set<String> running) {
        return on(inventory);
    }
}
