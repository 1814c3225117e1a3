package io.gpushare.model.selector;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Inventory;
import org.jspecify.annotations.Nullable;

/**
 * What a selector can tell of a card but its UUID. Few cards of a cluster differ in it.
 *
 * @param card an example of these cards, healthy, without an identity and a place
 * @param driver their node's
 */
public record CardFacts(Card card, Inventory.@Nullable Driver driver) {
    private static final CardId ANY = new CardId("GPU-any");

    public static CardFacts of(Card card, Inventory.@Nullable Driver driver) {
        return new CardFacts(
                new Card(
                                ANY,
                                0,
                                0,
                                card.model(),
                                card.memory(),
                                card.compute(),
                                card.ecc(),
                                card.numaNode(),
                                card.mig(),
                                new Health.Healthy())
                        .withIsolation(CardIsolation.of(card.isolation().inForce())),
                driver);
    }
}
