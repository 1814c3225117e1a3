package io.gpushare.extender.report;

import io.gpushare.model.Demand;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.ledger.CardState;

/**
 * Whether one card can serve one pod. A node with a fitting card is still refused if the pod needs more cards than fit.
 *
 * @param takes whether the card has the requested share free, or can be taken whole, whichever the pod requests
 * @param sentence what the card can give or why it can't, with figures, for users
 */
public record CardVerdict(CardState state, boolean takes, String sentence) {
    static CardVerdict of(Demand demand, CardState state, Inventory inventory) {
        return Obstacle.of(demand, state, inventory)
                .map(obstacle -> new CardVerdict(state, false, obstacle.ofCard(demand)))
                .orElseGet(() -> new CardVerdict(state, true, fits(demand, state)));
    }

    private static String fits(Demand demand, CardState state) {
        if (!demand.shares() || demand.wholeCards() == 0) {
            return "fits";
        }
        return state.offers(demand.wholeShare())
                ? "fits, shared or whole"
                : "fits the memory, but can't be taken whole";
    }
}
