package io.gpushare.model.card;

import java.util.Map;
import java.util.Optional;

/** The known links between the cards of a node. */
public record CardLinks(Map<Pair, CardLink> links) {
    /** No known links: all cards are equally close. */
    public static final CardLinks UNKNOWN = new CardLinks(Map.of());

    /** Two cards, in either order. */
    public record Pair(CardId one, CardId other) {
        public Pair {
            if (one.compareTo(other) > 0) {
                CardId first = other;
                other = one;
                one = first;
            }
            if (one.equals(other)) {
                throw new IllegalArgumentException("card " + one + " has no link with itself");
            }
        }
    }

    public CardLinks {
        links = Map.copyOf(links);
    }

    public Optional<CardLink> between(CardId one, CardId other) {
        return Optional.ofNullable(links.get(new Pair(one, other)));
    }

    /** How close those two are; 0 where it is unknown. */
    public int closeness(CardId one, CardId other) {
        return links.isEmpty()
                ? 0
                : between(one, other).map(CardLink::closeness).orElse(0);
    }
}
