package io.gpushare.model.claims;

import io.gpushare.model.Allocation;
import io.gpushare.model.card.CardId;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The cards of one claim on a node.
 *
 * @param allocation the shares that it takes, in which each request of the claim stands for a container; empty if it
 *     has administrative access only
 * @param besides the cards that each request sees with administrative access, without a share
 */
public record ClaimedCards(Optional<Allocation> allocation, Map<String, Set<CardId>> besides) {
    public ClaimedCards {
        besides = Map.copyOf(besides);
    }
}
