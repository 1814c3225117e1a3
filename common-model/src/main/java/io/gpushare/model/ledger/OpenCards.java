package io.gpushare.model.ledger;

import java.util.Comparator;
import java.util.List;

/**
 * The cards of a node that accept new pods. A card smaller than one unit is not among them: it serves no memory pod,
 * and as a whole card it is found without comparing it with others.
 *
 * @param cards small ones first, and among equal ones those with the least free memory, so that equal cards are
 *     adjacent
 * @param units memory units of all of them
 * @param freeUnits free memory units on all of them
 */
public record OpenCards(List<CardState> cards, long units, long freeUnits) {
    private static final Comparator<CardState> ORDER = Comparator.<CardState>comparingInt(
                    card -> card.kind().units())
            .thenComparing(card -> card.kind().model())
            .thenComparingInt(card -> card.free().units());

    static OpenCards of(List<CardState> all) {
        List<CardState> cards = all.stream()
                .filter(card -> card.card().placeable() && card.capacity().units() > 0)
                .sorted(ORDER)
                .toList();
        return new OpenCards(
                cards,
                cards.stream().mapToLong(card -> card.kind().units()).sum(),
                cards.stream().mapToLong(card -> card.free().units()).sum());
    }
}
