package io.gpushare.plugin.node.holdings;

import io.gpushare.model.card.CardId;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Who has cards by one offer, at one moment.
 *
 * @param mayHaveAny of whom it is unknown which cards they have, by their names; or why the holders are unknown. Each
 *     may have any card
 * @param left the whole cards of holders whose pods are gone from the API, by their names: nobody counts them there
 *     any more
 * @param complete whether every holder is known that has a share: before that, a card may look unused
 */
public record OfferHoldings(
        List<Holder> holders, Set<String> mayHaveAny, Map<String, Set<CardId>> left, boolean complete) {
    /** Before anything is known. */
    public static final OfferHoldings NOT_READ = new OfferHoldings(List.of(), Set.of(), false);

    public OfferHoldings {
        holders = List.copyOf(holders);
        mayHaveAny = Set.copyOf(mayHaveAny);
        left = Map.copyOf(left);
    }

    /** The pods of each holder are there. */
    public OfferHoldings(List<Holder> holders, Set<String> mayHaveAny, boolean complete) {
        this(holders, mayHaveAny, Map.of(), complete);
    }
}
