package io.gpushare.plugin.node.usage;

import io.gpushare.model.card.CardId;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The usage of the cards that the driver reported at one moment; a card that did not respond is missing.
 *
 * @param at by the steady clock
 * @param servers by card that MPS serves, percent of the time in which its server computes for all clients; empty if
 *     that is unknown
 */
public record CardUsages(Instant at, Map<CardId, CardUtilization> cards, Map<CardId, OptionalInt> servers) {
    public CardUsages {
        cards = Map.copyOf(cards);
        servers = Map.copyOf(servers);
    }

    /** Of cards that MPS does not serve, as far as is known. */
    public CardUsages(Instant at, Map<CardId, CardUtilization> cards) {
        this(at, cards, Map.of());
    }

    /** The processes on that card; none if it did not respond. */
    public List<CardProcess> processes(CardId card) {
        return Optional.ofNullable(cards.get(card))
                .flatMap(CardUtilization::processes)
                .orElse(List.of());
    }
}
