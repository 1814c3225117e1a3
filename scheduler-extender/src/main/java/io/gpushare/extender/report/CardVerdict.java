package io.gpushare.extender.report;

import io.gpushare.model.Demand;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.ledger.Obstacle;
import io.gpushare.model.ledger.Verdict;

/**
 * The verdict of one card on one pod, for users. A node with a fitting card is still refused if the pod needs more
 * cards than fit.
 *
 * @param takes whether the card has the requested share free, or can be taken whole, whichever the pod requests
 * @param sentence what the card can give or why it can't, with figures
 */
public record CardVerdict(CardState state, boolean takes, String sentence) {
    static CardVerdict of(Demand demand, CardState state, Inventory inventory) {
        Verdict verdict = Verdict.of(demand, state);
        return new CardVerdict(state, verdict.fits(), switch (verdict) {
            case Obstacle obstacle ->
                new CardObstacle(demand, obstacle, state, inventory, obstacle.amount(state)).ofCard();
            case Verdict.Fits fits when !demand.shares() || demand.wholeCards() == 0 -> "fits";
            case Verdict.Fits.EITHER -> "fits, shared or whole";
            case Verdict.Fits.SHARED -> "fits the memory, but can't be taken whole";
            case Verdict.Fits.WHOLE -> "can be taken whole, but does not fit the memory";
        });
    }
}
