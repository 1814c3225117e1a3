package io.gpushare.model.selector;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The cards that a pod accepts: those for which every condition holds. {@code toString} is its text form.
 *
 * <p>It decides once on all cards with the same facts, and finds UUIDs by hash. The time to select among the cards of a
 * cluster therefore hardly depends on the conditions, which anyone who creates pods writes.
 */
public final class CardSelector {
    /** Any card. */
    public static final CardSelector ANY = new CardSelector(List.of());

    private static final int MOST_VERDICTS = 256;

    private final List<CardCondition> conditions;
    private final List<CardCondition> onFacts;
    private final List<CardCondition> onUuids;
    // The hashes of all UUIDs in the conditions, in order.
    private final int[] named;
    private final boolean onlyNamed;
    private final Map<CardFacts, Boolean> verdicts = new ConcurrentHashMap<>();

    public CardSelector(List<CardCondition> conditions) {
        this.conditions = List.copyOf(conditions);
        onFacts =
                this.conditions.stream().filter(condition -> !onUuid(condition)).toList();
        onUuids = this.conditions.stream().filter(CardSelector::onUuid).toList();
        named = onUuids.stream()
                .flatMap(condition -> condition.values().stream())
                .mapToInt(value -> hash(value.toString()))
                .sorted()
                .toArray();
        onlyNamed = onUuids.stream().anyMatch(condition -> condition.test() == CardCondition.Test.IN);
    }

    private static boolean onUuid(CardCondition condition) {
        return condition.fact() == CardFact.UUID;
    }

    public List<CardCondition> conditions() {
        return conditions;
    }

    /** Whether it accepts every card. */
    public boolean any() {
        return conditions.isEmpty();
    }

    /** Whether it may distinguish cards with the same facts. */
    public boolean namesCards() {
        return !onUuids.isEmpty();
    }

    /** The number of values in its conditions. */
    public int values() {
        return conditions.stream()
                .mapToInt(condition -> condition.values().size())
                .sum();
    }

    /** Whether it accepts that card, on a node with that driver. */
    public boolean matches(Card card, Inventory.@Nullable Driver driver) {
        return (onFacts.isEmpty() || matches(CardFacts.of(card, driver)))
                && (onUuids.isEmpty() || matches(card.id(), hash(card.id())));
    }

    /** Whether it accepts cards with these facts, as far as these go. */
    public boolean matches(CardFacts facts) {
        if (onFacts.isEmpty()) {
            return true;
        }
        @Nullable Boolean known = verdicts.get(facts);
        if (known != null) {
            return known;
        }
        boolean verdict = onFacts.stream().allMatch(condition -> condition.holds(facts.card(), facts.driver()));
        if (verdicts.size() < MOST_VERDICTS) {
            verdicts.put(facts, verdict);
        }
        return verdict;
    }

    /**
     * Whether it accepts a card with that UUID, as far as this goes.
     *
     * @param hash the {@link #hash} of the UUID
     */
    public boolean matches(CardId card, int hash) {
        return Arrays.binarySearch(named, hash) < 0
                ? !onlyNamed
                : onUuids.stream().allMatch(condition -> condition.holds(new FactValue.Identity(card)));
    }

    /** A number that is the same for UUIDs that differ in case only. */
    public static int hash(CardId card) {
        return hash(card.uuid());
    }

    private static int hash(String uuid) {
        int hash = 0;
        for (int i = 0; i < uuid.length(); i++) {
            hash = 31 * hash + Character.toLowerCase(uuid.charAt(i));
        }
        return hash;
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

    /** The selector without its conditions on identity and location. */
    public CardSelector withoutIdentities() {
        return new CardSelector(conditions.stream()
                .filter(condition -> !condition.fact().ofOneCard())
                .toList());
    }

    /** The selector of a pod that has its cards, MIG instances, alone: isolation {@code mig} is in force there. */
    public CardSelector ofInstances() {
        var fenced = new FactValue.Enforced(Isolation.MIG);
        return new CardSelector(conditions.stream()
                .filter(condition -> condition.fact() != CardFact.ISOLATION || !condition.holds(fenced))
                .toList());
    }

    /** The selector that accepts what both accept. */
    public CardSelector and(CardSelector other) {
        return new CardSelector(
                Stream.concat(conditions.stream(), other.conditions.stream()).toList());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof CardSelector selector && conditions.equals(selector.conditions);
    }

    @Override
    public int hashCode() {
        return conditions.hashCode();
    }

    @Override
    public String toString() {
        return conditions.stream().map(CardCondition::toString).collect(Collectors.joining(", "));
    }
}
