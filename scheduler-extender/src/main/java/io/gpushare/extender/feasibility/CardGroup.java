package io.gpushare.extender.feasibility;

import io.gpushare.model.Share;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.ComputeCapability;
import io.gpushare.model.card.Memory;
import io.gpushare.model.ledger.CardState;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Cards of a node that are alike, and what is free on them. */
final class CardGroup {
    private final Card card;
    private final int present;
    // Free units, in rising order.
    private final int[] used;
    private final int[] unused;

    /** All that selectors can tell cards of one node apart by, but the facts of single cards. */
    private record Alike(
            String model,
            Memory memory,
            @Nullable ComputeCapability compute,
            @Nullable Boolean ecc,
            @Nullable Boolean mig) {
        static Alike of(CardState state) {
            Card card = state.card();
            return new Alike(card.model(), card.memory(), card.compute(), card.ecc(), card.mig());
        }
    }

    private CardGroup(Collection<CardState> states) {
        card = states.iterator().next().card();
        present = states.size();
        used = freeUnits(
                states, state -> !state.offers(Share.WHOLE_CARD) && state.free().units() > 0);
        unused = freeUnits(states, state -> state.offers(Share.WHOLE_CARD));
    }

    private static int[] freeUnits(Collection<CardState> states, Predicate<CardState> which) {
        return states.stream()
                .filter(which)
                .mapToInt(state -> state.free().units())
                .sorted()
                .toArray();
    }

    /** The cards, those that are alike together. */
    static List<CardGroup> of(List<CardState> cards) {
        Map<Alike, List<CardState>> alike =
                cards.stream().collect(Collectors.groupingBy(Alike::of, LinkedHashMap::new, Collectors.toList()));
        return alike.values().stream().map(CardGroup::new).toList();
    }

    /** The cards, each for itself. */
    static List<CardGroup> ofEach(List<CardState> cards) {
        return cards.stream().map(state -> new CardGroup(List.of(state))).toList();
    }

    /** One of them. */
    Card card() {
        return card;
    }

    /** How many there are, ill and cordoned ones among them. */
    int present() {
        return present;
    }

    /** Those that some pod uses and that have so many units left. */
    int used(int units) {
        return atLeast(used, units);
    }

    /** Those that nobody uses and that have so many units. */
    int unused(int units) {
        return atLeast(unused, units);
    }

    /** The most units that are free on one of them. */
    int most() {
        return Math.max(last(used), last(unused));
    }

    private static int last(int[] rising) {
        return rising.length == 0 ? 0 : rising[rising.length - 1];
    }

    /** Units that are free on all of them together. */
    long freeUnits() {
        return Arrays.stream(used).asLongStream().sum()
                + Arrays.stream(unused).asLongStream().sum();
    }

    private static int atLeast(int[] free, int units) {
        int at = Arrays.binarySearch(free, units);
        int first = at < 0 ? -at - 1 : at;
        while (first > 0 && free[first - 1] >= units) {
            first--;
        }
        return free.length - first;
    }
}
