package io.gpushare.extender.pod;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.selector.CardSelector;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The kinds of cards in a cluster. They resolve a selector to card models, which is how policies weigh it. */
public final class CardKinds {
    public static final CardKinds NONE = new CardKinds(Set.of());

    private final Set<Kind> kinds;

    /** A card without its identity and health, and its node's driver. */
    private record Kind(Card card, Inventory.@Nullable Driver driver) {
        private static final CardId ANY = new CardId("GPU-any");

        static Kind of(Card card, Inventory inventory) {
            return new Kind(
                    new Card(
                            ANY,
                            0,
                            0,
                            card.model(),
                            card.memory(),
                            card.compute(),
                            card.ecc(),
                            null,
                            card.mig(),
                            new Health.Healthy()),
                    inventory.driver());
        }
    }

    private CardKinds(Set<Kind> kinds) {
        this.kinds = kinds;
    }

    public static CardKinds of(Collection<Inventory> inventories) {
        Set<Kind> kinds = new HashSet<>();
        for (Inventory inventory : inventories) {
            inventory.cards().forEach(card -> kinds.add(Kind.of(card, inventory)));
        }
        return new CardKinds(kinds);
    }

    /** The models that the selector matches; empty if it matches every model. */
    public Set<String> models(CardSelector selector) {
        if (selector.any()) {
            return Set.of();
        }
        CardSelector byKind = selector.withoutIdentities();
        Set<String> models = kinds.stream()
                .filter(kind -> byKind.matches(kind.card(), kind.driver()))
                .map(kind -> kind.card().model())
                .collect(Collectors.toSet());
        return models.size()
                        == kinds.stream()
                                .map(kind -> kind.card().model())
                                .distinct()
                                .count()
                ? Set.of()
                : models;
    }
}
