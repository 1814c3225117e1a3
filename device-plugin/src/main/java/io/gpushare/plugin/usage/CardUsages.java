package io.gpushare.plugin.usage;

import io.gpushare.model.card.CardId;
import io.gpushare.nvml.CardUtilization;
import java.time.Instant;
import java.util.Map;

/**
 * The usage of the cards that the driver reported at one moment; a card that did not respond is missing.
 *
 * @param at by the steady clock
 */
public record CardUsages(Instant at, Map<CardId, CardUtilization> cards) {
    public CardUsages {
        cards = Map.copyOf(cards);
    }
}
