package io.gpushare.model.selector;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.Inventory;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Which cards a pod may have: those for which every condition holds. Its text is the selector's written form. */
public record CardSelector(List<CardCondition> conditions) {
    /** Any card. */
    public static final CardSelector ANY = new CardSelector(List.of());

    public CardSelector {
        conditions = List.copyOf(conditions);
    }

    /** Whether it leaves no card out. */
    public boolean any() {
        return conditions.isEmpty();
    }

    /** Whether the pod may have that card, on a node with that driver. */
    public boolean matches(Card card, Inventory.@Nullable Driver driver) {
        return conditions.stream().allMatch(condition -> condition.holds(card, driver));
    }

    /** The first condition that does not hold for that card, with what the card has instead; empty if it matches. */
    public Optional<String> unmet(Card card, Inventory.@Nullable Driver driver) {
        return conditions.stream()
                .filter(condition -> !condition.holds(card, driver))
                .findFirst()
                .map(condition -> {
                    @Nullable FactValue told = condition.fact().of(card, driver);
                    return condition + (told == null ? ": its driver does not tell that" : ": it has " + told);
                });
    }

    /** Whether it may tell cards apart that are alike in all but their identity and their place in the node. */
    public boolean looksAtSingleCards() {
        return conditions.stream().anyMatch(condition -> condition.fact().ofOneCard());
    }

    /** Without the conditions on what cards of one kind differ in. */
    public CardSelector withoutSingleCards() {
        return new CardSelector(conditions.stream()
                .filter(condition -> !condition.fact().ofOneCard())
                .toList());
    }

    /** Both together. */
    public CardSelector and(CardSelector other) {
        return new CardSelector(
                Stream.concat(conditions.stream(), other.conditions.stream()).toList());
    }

    @Override
    public String toString() {
        return conditions.stream().map(CardCondition::toString).collect(Collectors.joining(", "));
    }
}
