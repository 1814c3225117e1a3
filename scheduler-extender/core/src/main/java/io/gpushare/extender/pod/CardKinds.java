package io.gpushare.extender.pod;

import io.gpushare.model.card.Inventory;
import io.gpushare.model.selector.CardFacts;
import io.gpushare.model.selector.CardSelector;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The kinds of cards in a cluster. They resolve a selector to card models, which is how policies weigh it. The model of
 * a MIG instance is its title, which ends with the profile.
 */
public final class CardKinds {
    public static final CardKinds NONE = new CardKinds(Set.of());

    private final Set<CardFacts> kinds;

    private CardKinds(Set<CardFacts> kinds) {
        this.kinds = kinds;
    }

    public static CardKinds of(Collection<Inventory> inventories) {
        Set<CardFacts> kinds = new HashSet<>();
        for (Inventory inventory : inventories) {
            inventory.cards().forEach(card -> kinds.add(CardFacts.of(card, inventory.driver())));
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
                .filter(byKind::matches)
                .map(kind -> kind.card().title())
                .collect(Collectors.toSet());
        return models.size()
                        == kinds.stream()
                                .map(kind -> kind.card().title())
                                .distinct()
                                .count()
                ? Set.of()
                : models;
    }
}
