package io.gpushare.extender.defrag;

import io.gpushare.model.card.CardId;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Cards of one node that are free, or free enough, after these moves, which are made in order.
 *
 * @param cards they accept no new pods until all moves are made
 */
public record FreedCards(String node, Set<CardId> cards, List<Move> moves) {
    public FreedCards {
        Objects.requireNonNull(node);
        cards = Set.copyOf(cards);
        moves = List.copyOf(moves);
    }
}
