package io.gpushare.plugin.usage;

import io.gpushare.model.card.CardId;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;

/** What the driver told of the cards at one moment; a card that did not answer is not among them. */
public record CardUsages(Instant at, Map<CardId, CardUsage> cards) {
    public CardUsages {
        Objects.requireNonNull(at);
        cards = Map.copyOf(cards);
    }
}
