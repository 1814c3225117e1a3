package io.gpushare.model.ledger;

import io.gpushare.model.Demand;
import java.util.Comparator;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Why a node can't take a demand: the obstacle of the card that comes nearest.
 *
 * @param demand what the cards were asked for: of a demand with several parts, the part that does not fit
 * @param whole whether cards to take whole are lacking, and not cards to share
 * @param card the nearest card; null for a node without cards
 * @param fitting the number of cards that could serve, where that is too few
 * @param everyCard whether all cards that the demand selects have this obstacle
 */
public record Nearest(
        Demand demand,
        boolean whole,
        Obstacle obstacle,
        @Nullable CardState card,
        int fitting,
        boolean everyCard) {
    public static final Comparator<Nearest> FIRST = Comparator.comparing(Nearest::obstacle)
            .thenComparing(Comparator.comparingInt(Nearest::amount).reversed());

    /** The number of cards where these are too few, otherwise what the card has of what is lacking. */
    public int amount() {
        return switch (obstacle) {
            case FEW, TOO_FEW -> fitting;
            default -> card == null ? 0 : obstacle.amount(card);
        };
    }

    /** The reason in one of a few constant sentences. */
    public Refusal refusal() {
        return Refusal.of(this);
    }

    /** What the cards of a node answer, one after the other. */
    static final class Answers {
        private final Demand demand;
        private final boolean whole;
        private int fitting;
        private int selected;
        private int alike;
        private @Nullable Obstacle nearest;
        private @Nullable CardState card;

        Answers(Demand demand, boolean whole) {
            this.demand = demand;
            this.whole = whole;
        }

        /**
         * Adds what keeps a card from serving, or null. Returns whether it serves.
         *
         * @param allowed false for a card that another container of the pod has, where that is in the way
         */
        boolean add(@Nullable Obstacle alone, CardState state, Predicate<CardState> allowed) {
            @Nullable Obstacle obstacle = alone;
            if (obstacle == null && !allowed.test(state)) {
                obstacle = whole ? Obstacle.SHARED : Obstacle.TAKEN_WHOLE;
            }
            selected += obstacle == Obstacle.NOT_SELECTED ? 0 : 1;
            if (obstacle == null) {
                fitting++;
                return true;
            }
            int order = nearest == null ? -1 : obstacle.compareTo(nearest);
            alike = order < 0 ? 1 : order == 0 ? alike + 1 : alike;
            if (order < 0 || card == null || (order == 0 && obstacle.amount(state) > obstacle.amount(card))) {
                nearest = obstacle;
                card = state;
            }
            return false;
        }

        int fitting() {
            return fitting;
        }

        /** Cards are lacking. The number is that of cards which could serve. */
        Nearest nearest(int could) {
            if (selected < demand.cards() && demand.cards() > 1 && selected > 0) {
                return of(Obstacle.TOO_FEW, selected);
            }
            if (fitting > 0) {
                return of(Obstacle.FEW, could);
            }
            return nearest == null
                    ? of(demand.selector().any() ? Obstacle.ABSENT : Obstacle.NOT_SELECTED, 0)
                    : of(nearest, 0);
        }

        private Nearest of(Obstacle obstacle, int cards) {
            return new Nearest(demand, whole, obstacle, card, cards, alike == selected);
        }
    }
}
