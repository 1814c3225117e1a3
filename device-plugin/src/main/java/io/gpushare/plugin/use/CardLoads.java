package io.gpushare.plugin.use;

import io.gpushare.model.CardId;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;

/** What the driver told of the cards at one moment; a card that did not answer is not among them. */
public record CardLoads(Instant at, Map<CardId, CardLoad> cards) {
    public CardLoads {
        Objects.requireNonNull(at);
        cards = Map.copyOf(cards);
    }
}
