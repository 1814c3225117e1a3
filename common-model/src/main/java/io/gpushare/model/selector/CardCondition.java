package io.gpushare.model.selector;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.Inventory;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One fact of a card compared with values of that fact's type. */
public record CardCondition(CardFact fact, Test test, List<FactValue> values) {
    /** How a fact is compared. */
    public enum Test {
        /** The fact is one of the values. */
        IN("in", "="),
        /** The fact is none of the values. */
        NOT_IN("not in", "!="),
        LESS("<", "<"),
        AT_MOST("<=", "<="),
        MORE(">", ">"),
        AT_LEAST(">=", ">="),
        /** The fact contains one of the values: HAMi's rule for models. */
        LIKE("like", "like"),
        NOT_LIKE("not like", "not like");

        private final String ofSeveral;
        private final String ofOne;

        Test(String ofSeveral, String ofOne) {
            this.ofSeveral = ofSeveral;
            this.ofOne = ofOne;
        }

        /** Whether it compares by order, and so with one value. */
        public boolean ordering() {
            return switch (this) {
                case LESS, AT_MOST, MORE, AT_LEAST -> true;
                case IN, NOT_IN, LIKE, NOT_LIKE -> false;
            };
        }
    }

    public CardCondition {
        values = List.copyOf(values);
        if (values.isEmpty() || (test.ordering() && values.size() > 1)) {
            throw new IllegalArgumentException("a condition on " + fact + " has " + values.size() + " values");
        }
    }

    /** Whether it holds for that card. It does not hold where the card's fact is unknown. */
    public boolean holds(Card card, Inventory.@Nullable Driver driver) {
        @Nullable FactValue actual = fact.of(card, driver);
        return actual != null && holds(actual);
    }

    /** Whether it holds for a card whose fact has that value. */
    boolean holds(FactValue actual) {
        return switch (test) {
            case IN -> values.stream().anyMatch(value -> value.matches(actual));
            case NOT_IN -> values.stream().noneMatch(value -> value.matches(actual));
            case LESS -> actual.compareWith(values.getFirst()) < 0;
            case AT_MOST -> actual.compareWith(values.getFirst()) <= 0;
            case MORE -> actual.compareWith(values.getFirst()) > 0;
            case AT_LEAST -> actual.compareWith(values.getFirst()) >= 0;
            case LIKE -> values.stream().anyMatch(value -> value.partOf(actual));
            case NOT_LIKE -> values.stream().noneMatch(value -> value.partOf(actual));
        };
    }

    @Override
    public String toString() {
        String name = fact.name().toLowerCase(Locale.ROOT);
        return values.size() == 1
                ? name + " " + test.ofOne + " " + values.getFirst()
                : name + " " + test.ofSeveral + " "
                        + values.stream().map(FactValue::toString).collect(Collectors.joining(", ", "(", ")"));
    }
}
