package io.gpushare.extender.placement;

import io.gpushare.model.ledger.CardState;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.ledger.Refusal;
import java.util.Optional;

/**
 * What filter reads of one node: made once when the node's cards change, so that a request over thousands of nodes
 * touches no allocation and makes no object per node. It answers exactly as {@link NodeCards#place} does.
 *
 * @param present the cards, whatever their state
 * @param mostOnUsed the most free units on one card that some pod uses already
 * @param mostOnUnused the most on one that nobody uses
 * @param freeCards the well cards on which nothing is allocated
 */
public record NodeSummary(int present, int mostOnUsed, int mostOnUnused, int freeCards) {
    public static NodeSummary of(NodeCards cards) {
        int used = 0;
        int unused = 0;
        int free = 0;
        for (CardState state : cards.cards()) {
            if (state.free()) {
                unused = Math.max(unused, state.freeUnits());
                free++;
            } else {
                used = Math.max(used, state.freeUnits());
            }
        }
        return new NodeSummary(cards.cards().size(), used, unused, free);
    }

    /** Why that node can't take the demand now; empty if it can. Constant time. */
    public Optional<Refusal> refusal(Ask ask) {
        int needed = ask.cards() + (ask.units() > 0 ? 1 : 0);
        if (needed > 1 && needed > present) {
            return Optional.of(Refusal.TOO_FEW_CARDS);
        }
        if (ask.units() > Math.max(mostOnUsed, mostOnUnused)) {
            return Optional.of(Refusal.NO_CARD_WITH_MEMORY);
        }
        boolean onUsed = ask.units() == 0 || mostOnUsed >= ask.units();
        int left = onUsed ? freeCards : freeCards - 1;
        return left >= ask.cards() ? Optional.empty() : Optional.of(Refusal.NO_FREE_CARDS);
    }
}
