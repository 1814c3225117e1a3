package io.gpushare.extender.report;

import io.gpushare.extender.feasibility.DemandSummary;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.ledger.NodeCards;
import java.util.Comparator;
import java.util.Objects;
import java.util.Optional;

/**
 * What keeps a node's cards from taking a pod: the obstacle of the card that comes nearest to fitting.
 *
 * @param amount the units or the percent of its cores that this card could give, or the number of cards that fit; 0
 *     where it does not matter
 * @param detail the condition that is not met, or what the card reports; empty for nothing
 */
record Obstacle(Kind kind, Card card, MemoryUnit unit, int amount, String detail) {
    /** The kinds, the nearest miss first. */
    enum Kind {
        /** A card fits, but more such cards are needed. */
        FEW,
        /** Other pods share it and leave too little. */
        SHORT,
        /** Other pods share it and leave too little of its cores. */
        FEW_CORES,
        /** Other pods share it, so it can't be taken whole. */
        SHARED,
        TAKEN_WHOLE,
        /** By {@code kubectl gpushare defrag}, while pods are moved away. */
        HELD,
        CORDONED,
        UNHEALTHY,
        /** It offers no memory, or not to a pod on several cards, because of the isolation. */
        NO_MEMORY,
        NO_CORE_LIMITS,
        TOO_SMALL,
        NOT_SELECTED
    }

    private static final Comparator<Obstacle> NEAREST_FIRST = Comparator.comparing(Obstacle::kind)
            .thenComparing(Comparator.comparingInt(Obstacle::amount).reversed());

    Obstacle {
        Objects.requireNonNull(kind);
        Objects.requireNonNull(card);
        Objects.requireNonNull(unit);
        Objects.requireNonNull(detail);
    }

    /** The obstacle of the node's nearest card; empty for a node without cards. */
    static Optional<Obstacle> of(DemandSummary demand, NodeCards node) {
        int fitting = (int) node.cards().stream()
                .filter(state -> CardVerdict.takes(demand, state, node.inventory()))
                .count();
        return node.cards().stream()
                .map(state -> of(demand, state, node, fitting))
                .min(NEAREST_FIRST)
                .map(nearest -> nearest.kind() == Kind.NOT_SELECTED ? nearest.withCondition(demand, node) : nearest);
    }

    /** With the first condition that the card does not meet. */
    private Obstacle withCondition(DemandSummary demand, NodeCards node) {
        return demand.selector().conditions().stream()
                .filter(condition -> !condition.holds(card, node.inventory().driver()))
                .findFirst()
                .map(condition -> new Obstacle(kind, card, unit, amount, condition.toString()))
                .orElse(this);
    }

    private static Obstacle of(DemandSummary demand, CardState state, NodeCards node, int fitting) {
        Card card = state.card();
        MemoryUnit unit = node.inventory().unit();
        if (!demand.selector().matches(card, node.inventory().driver())) {
            return new Obstacle(Kind.NOT_SELECTED, card, unit, 0, "");
        }
        boolean small = demand.shares()
                && card.hasMemory()
                && demand.units() > state.capacity().units();
        if (small) {
            return new Obstacle(Kind.TOO_SMALL, card, unit, state.capacity().units(), "");
        }
        if (card.health() instanceof Health.Unhealthy(String why)) {
            return new Obstacle(Kind.UNHEALTHY, card, unit, 0, why);
        }
        if (card.held()) {
            return new Obstacle(Kind.HELD, card, unit, 0, "");
        }
        if (card.cordoned()) {
            return new Obstacle(Kind.CORDONED, card, unit, 0, "");
        }
        boolean mps = demand.sharedCards() > 1 && card.isolation().inForce() == Isolation.MPS;
        if (demand.shares() && (mps || !card.sharesMemory())) {
            return new Obstacle(
                    Kind.NO_MEMORY,
                    card,
                    unit,
                    0,
                    mps ? "MPS" : card.isolation().missing());
        }
        if (demand.share().cores() > 0 && !state.limitsCores()) {
            return new Obstacle(Kind.NO_CORE_LIMITS, card, unit, 0, "");
        }
        if (state.takenWhole()) {
            return new Obstacle(Kind.TAKEN_WHOLE, card, unit, 0, "");
        }
        if (CardVerdict.takes(demand, state, node.inventory())) {
            return new Obstacle(Kind.FEW, card, unit, fitting, "");
        }
        if (demand.share().cores() > 0 && state.offers(demand.share().withoutCores())) {
            return new Obstacle(Kind.FEW_CORES, card, unit, state.free().cores(), "");
        }
        return demand.shares()
                ? new Obstacle(Kind.SHORT, card, unit, state.free().units(), "")
                : new Obstacle(Kind.SHARED, card, unit, 0, "");
    }

    /** The obstacle in words, for several nodes of which none comes nearer. */
    String sentence(DemandSummary demand) {
        String needed = unit.amount(demand.share().units()) + " needed";
        return switch (kind) {
            case FEW ->
                "at most " + amount + (amount == 1 ? " card fits" : " cards fit") + " on one node, "
                        + (demand.sharedCards() + demand.wholeCards()) + " needed";
            case SHORT ->
                "at most " + unit.amount(amount) + " of " + unit.amount(unit.unitsIn(card.memory()))
                        + " free on one card, " + needed;
            case FEW_CORES ->
                "at most " + amount + "% of the cores free on one card, "
                        + demand.share().cores() + "% needed";
            case SHARED -> "shared by memory pods, so they can't be taken whole";
            case TAKEN_WHOLE -> "taken whole by other pods";
            case HELD -> "held while pods are moved away from them";
            case CORDONED -> "cordoned";
            case UNHEALTHY -> "unhealthy: " + detail;
            case NO_MEMORY ->
                detail.equals("MPS")
                        ? "MPS, and a pod with memory on several cards needs cards without it"
                        : "offer no memory: " + detail;
            case NO_CORE_LIMITS -> "do not limit cores, which needs --core-resource and --isolation=mps";
            case TOO_SMALL -> "too small: one card has " + unit.amount(amount) + ", " + needed;
            case NOT_SELECTED -> "not selected by " + detail;
        };
    }

    /** Whether it comes nearer to fitting than the other. */
    boolean nearer(Obstacle other) {
        return NEAREST_FIRST.compare(this, other) < 0;
    }
}
