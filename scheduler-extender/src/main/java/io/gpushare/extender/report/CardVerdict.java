package io.gpushare.extender.report;

import io.gpushare.extender.feasibility.DemandSummary;
import io.gpushare.model.Share;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.ledger.CardState;
import java.util.Objects;
import java.util.Optional;

/**
 * What one card could give to one pod. A node may be refused all the same though a card of it would do: where more cards
 * are needed than would.
 *
 * @param takes whether it could give the pod's memory, or be taken whole, whichever the pod asks for
 * @param sentence why not, or what it could give; it has figures, and is for people
 */
public record CardVerdict(CardState state, boolean takes, String sentence) {
    public CardVerdict {
        Objects.requireNonNull(state);
        Objects.requireNonNull(sentence);
    }

    static CardVerdict of(DemandSummary ask, CardState state, Inventory inventory) {
        Optional<String> never = never(ask, state, inventory);
        if (never.isPresent()) {
            return new CardVerdict(state, false, never.get());
        }
        Optional<String> memory = ask.split() == 0 ? Optional.empty() : noMemory(ask, state, inventory.unit());
        Optional<String> whole =
                ask.cards() == 0 || state.offers(Share.WHOLE_CARD) ? Optional.empty() : Optional.of(notWhole(state));
        boolean forMemory = ask.split() > 0 && memory.isEmpty();
        boolean forWhole = ask.cards() > 0 && whole.isEmpty();
        if (forMemory || forWhole) {
            boolean both = ask.split() > 0 && ask.cards() > 0;
            return new CardVerdict(
                    state,
                    true,
                    !both ? "would do" : forWhole ? "would do for either" : "would do for the memory, not whole");
        }
        return new CardVerdict(state, false, memory.or(() -> whole).orElseThrow());
    }

    private static Optional<String> never(DemandSummary ask, CardState state, Inventory inventory) {
        Optional<String> unmet = ask.selector().unmet(state.card(), inventory.driver());
        if (unmet.isPresent()) {
            return Optional.of("not what the pod selects by " + unmet.get());
        }
        if (state.card().health() instanceof Health.Unhealthy(String reason)) {
            return Optional.of("ill: " + reason);
        }
        return state.card().cordoned() ? Optional.of("cordoned") : Optional.empty();
    }

    private static Optional<String> noMemory(DemandSummary ask, CardState state, MemoryUnit unit) {
        if (state.free().units() >= ask.units()) {
            return Optional.empty();
        }
        String needed = ", " + unit.amount(ask.units()) + " needed";
        if (state.capacity().units() < ask.units()) {
            return Optional.of(
                    "too small: it has " + unit.amount(state.capacity().units()) + needed);
        }
        return Optional.of(
                state.takenWhole()
                        ? "taken whole"
                        : unit.amount(state.free().units()) + " of "
                                + unit.amount(state.capacity().units()) + " free" + needed);
    }

    private static String notWhole(CardState state) {
        return state.takenWhole() ? "taken whole" : "serves memory pods, so it can't be taken whole";
    }
}
