package io.gpushare.model.selector;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.Inventory;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The cards that a pod accepts: those for which every condition holds. {@code toString} is its text form. */
public record CardSelector(List<CardCondition> conditions) {
    /** Any card. */
    public static final CardSelector ANY = new CardSelector(List.of());

    public CardSelector {
        conditions = List.copyOf(conditions);
    }

    /** Whether it accepts every card. */
    public boolean any() {
        return conditions.isEmpty();
    }

    /** Whether it accepts that card, on a node with that driver. */
    public boolean matches(Card card, Inventory.@Nullable Driver driver) {
        return conditions.stream().allMatch(condition -> condition.holds(card, driver));
    }

    /** The first condition that does not hold for that card, with the actual value; empty if all hold. */
    public Optional<String> unmet(Card card, Inventory.@Nullable Driver driver) {
        return conditions.stream()
                .filter(condition -> !condition.holds(card, driver))
                .findFirst()
                .map(condition -> {
                    @Nullable FactValue actual = condition.fact().of(card, driver);
                    return condition + (actual == null ? ": its driver does not report it" : ": it has " + actual);
                });
    }

    /** Whether it may distinguish cards that differ only in identity and location. */
    public boolean distinguishesAlikeCards() {
        return conditions.stream().anyMatch(condition -> condition.fact().ofOneCard());
    }

    /** The selector without its conditions on identity and location. */
    public CardSelector withoutIdentities() {
        return new CardSelector(conditions.stream()
                .filter(condition -> !condition.fact().ofOneCard())
                .toList());
    }

    /** The selector that accepts what both accept. */
    public CardSelector and(CardSelector other) {
        return new CardSelector(
                Stream.concat(conditions.stream(), other.conditions.stream()).toList());
    }

    @Override
    public String toString() {
        return conditions.stream().map(CardCondition::toString).collect(Collectors.joining(", "));
    }
}
