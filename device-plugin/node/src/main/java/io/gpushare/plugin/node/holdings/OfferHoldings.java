package io.gpushare.plugin.node.holdings;

import java.util.List;
import java.util.Set;

/**
 * Who has cards by one offer, at one moment.
 *
 * @param mayHaveAny of whom it is unknown which cards they have, by their names; or why the holders are unknown. Each
 *     may have any card
 * @param complete whether every holder is known that has a share: before that, a card may look unused
 */
public record OfferHoldings(List<Holder> holders, Set<String> mayHaveAny, boolean complete) {
    /** Before anything is known. */
    public static final OfferHoldings NOT_READ = new OfferHoldings(List.of(), Set.of(), false);

    public OfferHoldings {
        holders = List.copyOf(holders);
        mayHaveAny = Set.copyOf(mayHaveAny);
    }
}
