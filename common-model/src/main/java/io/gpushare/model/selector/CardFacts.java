package io.gpushare.model.selector;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.MigInstance;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What a selector can tell of a card but its UUID. Few cards of a cluster differ in it, and it is compared for all of
 * them: equal facts are mostly one object, which knows its hash.
 */
public final class CardFacts {
    private static final CardId ANY = new CardId("GPU-any");
    private static final int MOST_SHARED = 1024;
    private static final Map<CardFacts, CardFacts> SHARED = new ConcurrentHashMap<>();

    private final Card card;
    private final Inventory.@Nullable Driver driver;
    private final int hash;

    private CardFacts(Card card, Inventory.@Nullable Driver driver) {
        this.card = card;
        this.driver = driver;
        this.hash = Objects.hash(card, driver);
    }

    public static CardFacts of(Card card, Inventory.@Nullable Driver driver) {
        CardFacts facts = new CardFacts(
                new Card(ANY, card.index(), 0, card.model(), card.memory(), details(card.details()))
                        .withIsolation(CardIsolation.of(card.isolation().inForce())),
                driver);
        @Nullable CardFacts shared = SHARED.get(facts);
        if (shared != null) {
            return shared;
        }
        if (SHARED.size() < MOST_SHARED) {
            SHARED.put(facts, facts);
        }
        return facts;
    }

    private static Card.Details details(Card.Details details) {
        @Nullable MigInstance instance = details.instance();
        return instance == null
                ? details
                : new Card.Details(
                        details.compute(),
                        details.ecc(),
                        details.numaNode(),
                        details.mig(),
                        new MigInstance(instance.parent(), instance.profile(), 0, 0, List.of()));
    }

    /** An example of these cards, healthy, without an identity. */
    public Card card() {
        return card;
    }

    /** Their node's; null if it is unknown. */
    public Inventory.@Nullable Driver driver() {
        return driver;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || (other instanceof CardFacts facts
                        && hash == facts.hash
                        && card.equals(facts.card)
                        && Objects.equals(driver, facts.driver));
    }

    @Override
    public int hashCode() {
        return hash;
    }
}
