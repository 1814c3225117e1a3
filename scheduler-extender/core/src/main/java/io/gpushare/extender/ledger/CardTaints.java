package io.gpushare.extender.ledger;

import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import java.util.Map;

/** The taints of cards that are not in the inventory of their node. */
@FunctionalInterface
public interface CardTaints {
    CardTaints NONE = (_, _) -> Map.of();

    /** Those of the node's cards, in words. */
    Map<CardId, String> on(String node, Inventory inventory);
}
