package io.gpushare.extender.report;

import io.gpushare.extender.feasibility.DemandSummary;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.ledger.CardState;
import java.util.Objects;
import java.util.Optional;

/**
 * Whether one card can serve one pod. A node with a fitting card is still refused if the pod needs more cards than fit.
 *
 * @param takes whether the card has the requested share free, or can be taken whole, whichever the pod requests
 * @param sentence what the card can give or why it can't, with figures, for users
 */
public record CardVerdict(CardState state, boolean takes, String sentence) {
    public CardVerdict {
        Objects.requireNonNull(state);
        Objects.requireNonNull(sentence);
    }

    static CardVerdict of(DemandSummary demand, CardState state, Inventory inventory) {
        Optional<String> excluded = excluded(demand, state, inventory);
        if (excluded.isPresent()) {
            return new CardVerdict(state, false, excluded.get());
        }
        boolean whole = demand.wholeCards() > 0 && state.offers(Share.WHOLE_CARD);
        if (shared(demand, state) || whole) {
            boolean both = demand.shares() && demand.wholeCards() > 0;
            return new CardVerdict(
                    state,
                    true,
                    !both ? "fits" : whole ? "fits, shared or whole" : "fits the memory, but can't be taken whole");
        }
        return new CardVerdict(
                state, false, demand.shares() ? noShare(demand, state, inventory.unit()) : notWhole(state));
    }

    /** Whether the card can take its part of the demand. */
    static boolean takes(DemandSummary demand, CardState state, Inventory inventory) {
        return state.card().placeable()
                && (shared(demand, state) || (demand.wholeCards() > 0 && state.offers(Share.WHOLE_CARD)))
                && demand.selector().matches(state.card(), inventory.driver());
    }

    private static boolean shared(DemandSummary demand, CardState state) {
        return demand.shares() && state.offers(demand.share()) && !(demand.sharedCards() > 1 && mps(state));
    }

    private static Optional<String> excluded(DemandSummary demand, CardState state, Inventory inventory) {
        Optional<String> unmet = demand.selector().unmet(state.card(), inventory.driver());
        if (unmet.isPresent()) {
            return Optional.of("not selected by " + unmet.get());
        }
        if (state.card().health() instanceof Health.Unhealthy(String reason)) {
            return Optional.of("unhealthy: " + reason);
        }
        if (state.card().held()) {
            return Optional.of("held while pods are moved away from it");
        }
        return state.card().cordoned() ? Optional.of("cordoned") : Optional.empty();
    }

    private static boolean mps(CardState state) {
        return state.card().isolation().inForce() == Isolation.MPS;
    }

    private static String noShare(DemandSummary demand, CardState state, MemoryUnit unit) {
        if (!state.card().sharesMemory()) {
            return "offers no memory: " + state.card().isolation().missing();
        }
        Share share = demand.share();
        if (demand.sharedCards() > 1 && mps(state)) {
            return "has MPS, and a pod with memory on several cards needs cards without it";
        }
        if (share.cores() > 0 && !state.limitsCores()) {
            return "does not limit cores: "
                    + (state.capacity().cores() == 0
                            ? "its device plugin has no --core-resource"
                            : "isolation " + state.card().isolation().inForce() + " is in force, and mps is needed");
        }
        String capacity = unit.amount(state.capacity().units());
        String needed = ", " + unit.amount(share.units()) + " needed";
        if (!share.fits(state.capacity())) {
            return "too small: it has " + capacity + needed;
        }
        if (state.takenWhole()) {
            return "taken whole";
        }
        return share.withoutCores().fits(state.free())
                ? state.free().cores() + "% of the cores free, " + share.cores() + "% needed"
                : unit.amount(state.free().units()) + " of " + capacity + " free" + needed;
    }

    private static String notWhole(CardState state) {
        return state.takenWhole() ? "taken whole" : "serves memory pods, so it can't be taken whole";
    }
}
