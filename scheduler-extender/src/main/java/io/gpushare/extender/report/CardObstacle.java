package io.gpushare.extender.report;

import io.gpushare.model.Demand;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.ledger.Nearest;
import io.gpushare.model.ledger.Obstacle;
import io.gpushare.model.selector.CardCondition;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The obstacle of a card in words.
 *
 * @param demand what the card was asked for
 * @param amount what the card has of what is lacking, or the number of cards where these are too few
 */
record CardObstacle(Demand demand, Obstacle kind, CardState state, Inventory inventory, int amount) {
    private static final String NEEDS_NO_MPS = "MPS, and a pod with memory on several cards needs cards without it";
    private static final String SEES_ONE =
            ", of which a program sees only one: memory on several cards needs cards without MIG";

    /** The obstacle of the node's nearest card; empty for a node without cards, or that has become feasible. */
    static Optional<CardObstacle> of(@Nullable Nearest nearest, Inventory inventory) {
        return nearest == null || nearest.card() == null
                ? Optional.empty()
                : Optional.of(new CardObstacle(
                        nearest.demand(), nearest.obstacle(), nearest.card(), inventory, nearest.amount()));
    }

    /** The obstacle in words, for several nodes of which none comes nearer. */
    String ofNodes() {
        return switch (kind) {
            case FEW ->
                "at most " + amount + (amount == 1 ? " card fits" : " cards fit") + " on one node, " + demand.cards()
                        + " needed";
            case TOO_FEW ->
                "at most " + amount + (amount == 1 ? " such card" : " such cards") + " on one node, " + demand.cards()
                        + " needed";
            case SHORT -> "at most " + free() + " free on one card, " + needed();
            case FEW_CORES -> "at most " + freeCores() + " free on one card, " + neededCores();
            case NO_SLOT -> "without a free slot";
            case WITHOUT_SLOTS -> "without slots: their device plugin needs --hami";
            case SHARED -> "shared by memory pods, so they can't be taken whole";
            case TAKEN_WHOLE -> "taken whole by other pods";
            case HELD -> "held while pods are moved away from them";
            case NO_MEMORY -> demand.mayShare(state.card()) ? "offer no memory: " + missing() : NEEDS_NO_MPS;
            case NO_CORE_LIMITS ->
                "do not limit cores, which needs --core-resource and --isolation=mps"
                        + (missing().isEmpty() ? "" : ": " + missing());
            case INSTANCE -> "MIG instances" + (demand.shares() ? SEES_ONE : ", and whole cards are needed");
            case TOO_SMALL -> "too small: one card has " + capacity() + ", " + needed();
            case NOT_SELECTED ->
                "not selected by "
                        + demand.selector().conditions().stream()
                                .filter(condition -> !condition.holds(state.card(), inventory.driver()))
                                .map(CardCondition::toString)
                                .findFirst()
                                .orElse("");
            case CORDONED, UNHEALTHY, ABSENT -> ofCard();
        };
    }

    /** The obstacle of this card in words. */
    String ofCard() {
        return switch (kind) {
            case FEW, TOO_FEW -> "fits";
            case ABSENT -> "not there";
            case SHORT -> free() + " free, " + needed();
            case FEW_CORES -> freeCores() + " free, " + neededCores();
            case NO_SLOT ->
                "has no free slot: pods have all " + state.capacity().slots();
            case WITHOUT_SLOTS -> "has no slots: its device plugin needs --hami";
            case SHARED -> "serves memory pods, so it can't be taken whole";
            case TAKEN_WHOLE -> "taken whole";
            case HELD -> "held while pods are moved away from it";
            case CORDONED -> "cordoned";
            case UNHEALTHY ->
                "unhealthy" + (state.card().health() instanceof Health.Unhealthy(String why) ? ": " + why : "");
            case NO_MEMORY -> demand.mayShare(state.card()) ? "offers no memory: " + missing() : "has " + NEEDS_NO_MPS;
            case NO_CORE_LIMITS ->
                "does not limit cores: "
                        + (state.capacity().cores() == 0
                                ? "its device plugin has no --core-resource"
                                : missing().isEmpty()
                                        ? "isolation " + state.card().isolation().inForce()
                                                + " is in force, and mps is needed"
                                        : missing());
            case INSTANCE -> "a MIG instance" + (demand.shares() ? SEES_ONE : ", and a whole card is needed");
            case TOO_SMALL -> "too small: it has " + capacity() + ", " + needed();
            case NOT_SELECTED ->
                "not selected by "
                        + demand.selector()
                                .unmet(state.card(), inventory.driver())
                                .orElse("");
        };
    }

    private String capacity() {
        return inventory.unit().amount(state.capacity().units());
    }

    private String free() {
        return inventory.unit().amount(amount) + " of " + capacity();
    }

    private String needed() {
        return inventory.unit().amount(demand.share().on(state.capacity()).units()) + " needed";
    }

    private String freeCores() {
        return amount + "% of the cores";
    }

    private String neededCores() {
        return demand.share().cores() + "% needed";
    }

    private String missing() {
        return state.card().isolation().missing();
    }
}
