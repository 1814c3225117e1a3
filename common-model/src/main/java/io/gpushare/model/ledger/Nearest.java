package io.gpushare.model.ledger;

import io.gpushare.model.Demand;
import io.gpushare.model.card.ShareKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Why a node can't take a demand: the obstacle of the card that comes nearest.
 *
 * @param demand what the cards were asked for: of a demand with several parts, the part that does not fit
 * @param card the nearest card; null for a node without cards
 * @param fitting the number of cards that could serve, where that is too few
 * @param refusal the same in one of a few constant sentences
 */
public record Nearest(
        Demand demand, Obstacle obstacle, @Nullable CardState card, int fitting, Refusal refusal) {
    /**
     * Finds it.
     *
     * @param whole whether cards to take whole are lacking, and not cards to share
     */
    static Nearest of(Demand demand, boolean whole, List<CardState> cards, int fitting) {
        @Nullable Obstacle nearest = null;
        @Nullable CardState card = null;
        int selected = 0;
        @Nullable ShareKind unlimited = null;
        for (CardState state : cards) {
            @Nullable Obstacle alone = whole ? Obstacle.ofWhole(demand, state) : Obstacle.ofShare(demand, state);
            // A card that fits may be one of another container of the pod, where that is in the way.
            Obstacle obstacle =
                    alone != null ? alone : fitting > 0 ? Obstacle.FEW : whole ? Obstacle.SHARED : Obstacle.TAKEN_WHOLE;
            selected += obstacle == Obstacle.NOT_SELECTED ? 0 : 1;
            int order = nearest == null ? -1 : obstacle.compareTo(nearest);
            if (unlimited == null && obstacle == Obstacle.NOT_LIMITED) {
                unlimited = Obstacle.percent(demand.share(), state);
            }
            if (card == null
                    || order < 0
                    || (order == 0 && obstacle.amount(demand, state) > obstacle.amount(demand, card))) {
                nearest = obstacle;
                card = state;
            }
        }
        if (nearest == null) {
            nearest = demand.selector().any() ? Obstacle.ABSENT : Obstacle.NOT_SELECTED;
        }
        boolean tooFew = selected > 0 && selected < demand.cards() && demand.cards() > 1;
        return tooFew
                ? new Nearest(demand, Obstacle.TOO_FEW, card, selected, Refusal.TOO_FEW_CARDS)
                : new Nearest(
                        demand,
                        nearest,
                        card,
                        fitting,
                        Refusal.of(
                                demand,
                                whole,
                                nearest,
                                card != null && nearest == Obstacle.FEW_PERCENT
                                        ? Obstacle.percent(demand.share(), card)
                                        : unlimited));
    }

    /** The number of cards where these are too few, otherwise what the card has of what is lacking. */
    public int amount() {
        boolean ofCards = obstacle == Obstacle.FEW || obstacle == Obstacle.TOO_FEW;
        return ofCards ? fitting : card == null ? 0 : obstacle.amount(demand, card);
    }
}
