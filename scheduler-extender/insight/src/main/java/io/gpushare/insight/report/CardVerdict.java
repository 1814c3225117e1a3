package io.gpushare.insight.report;

import io.gpushare.model.Demand;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.ledger.Nearest;
import io.gpushare.model.ledger.Obstacle;
import io.gpushare.model.ledger.Verdict;
import io.gpushare.model.selector.CardCondition;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The verdict of one card in words. A node with a fitting card is still refused if the pod needs more cards than fit.
 *
 * @param demand what the card was asked for
 * @param amount what the card has of what is lacking, or the number of cards where these are too few
 */
public record CardVerdict(Demand demand, Verdict verdict, CardState state, Inventory inventory, int amount) {
    private static final String NEEDS_NO_MPS = "MPS, and a pod with memory on several cards needs cards without it";
    private static final String SEES_ONE =
            ", of which a program sees only one: memory on several cards needs cards without MIG";

    static CardVerdict of(Demand demand, CardState state, Inventory inventory) {
        Verdict verdict = Verdict.of(demand, state);
        int amount = verdict instanceof Obstacle obstacle ? obstacle.amount(demand, state) : 0;
        return new CardVerdict(demand, verdict, state, inventory, amount);
    }

    /** The verdict of the node's nearest card; empty for a node without cards, or that has become feasible. */
    static Optional<CardVerdict> of(@Nullable Nearest nearest, Inventory inventory) {
        return nearest == null || nearest.card() == null
                ? Optional.empty()
                : Optional.of(new CardVerdict(
                        nearest.demand(), nearest.obstacle(), nearest.card(), inventory, nearest.amount()));
    }

    /** Whether the card has the requested share free, or can be taken whole, whichever the pod requests. */
    public boolean takes() {
        return verdict.fits();
    }

    /** The same for several nodes of which none comes nearer. */
    String ofNodes() {
        return switch (verdict) {
            case Obstacle.FEW ->
                "at most " + amount + (amount == 1 ? " card fits" : " cards fit") + " on one node, " + demand.cards()
                        + " needed";
            case Obstacle.TOO_FEW ->
                "at most " + amount + (amount == 1 ? " such card" : " such cards") + " on one node, " + demand.cards()
                        + " needed";
            case Obstacle.SHORT -> "at most " + free() + " free on one card, " + needed();
            case Obstacle.FEW_PERCENT -> "at most " + amount + freePercent(" free on one card, ");
            case Obstacle.NO_SLOT -> "without a free slot";
            case Obstacle.WITHOUT_SLOTS -> "without slots: their device plugin needs --hami";
            case Obstacle.SHARED -> "shared by memory pods, so they can't be taken whole";
            case Obstacle.TAKEN_WHOLE -> "taken whole by other pods";
            case Obstacle.FOREIGN_USE -> "with memory in use that is not allocated";
            case Obstacle.HELD -> "held while pods are moved away from them";
            case Obstacle.IN_USE ->
                "in use by pods or claims that have them by another offer of their nodes, or that have ended and"
                        + " still compute there";
            case Obstacle.TAINTED -> "tainted by DeviceTaintRules";
            case Obstacle.NO_MEMORY -> demand.mayShare(state.card()) ? "offer no memory: " + missing() : NEEDS_NO_MPS;
            case Obstacle.NOT_LIMITED ->
                "do not limit " + percent() + ", which needs " + percent().option() + " and --isolation="
                        + Isolation.limiting(percent())
                        + (missing().isEmpty() ? "" : ": " + missing());
            case Obstacle.INSTANCE -> "MIG instances" + (demand.shares() ? SEES_ONE : ", and whole cards are needed");
            case Obstacle.TOO_SMALL -> "too small: one card has " + capacity() + ", " + needed();
            case Obstacle.NOT_SELECTED ->
                "not selected by "
                        + demand.selector().conditions().stream()
                                .filter(condition -> !condition.holds(state.card(), inventory.driver()))
                                .map(CardCondition::toString)
                                .findFirst()
                                .orElse("");
            case Obstacle.CORDONED, Obstacle.UNHEALTHY, Obstacle.ABSENT -> sentence();
            case Verdict.Fits _ -> sentence();
        };
    }

    /** What the card can give or why it can't, with figures, for users. */
    public String sentence() {
        return switch (verdict) {
            case Verdict.Fits _ when demand.inPart() -> "enough is free";
            case Verdict.Fits fits when !demand.shares() || demand.wholeCards() == 0 -> "fits";
            case Verdict.Fits.EITHER, Obstacle.FEW, Obstacle.TOO_FEW -> "fits, shared or whole";
            case Verdict.Fits.SHARED -> "fits the memory, but can't be taken whole";
            case Verdict.Fits.WHOLE -> "can be taken whole, but does not fit the memory";
            case Obstacle.ABSENT -> "not there";
            case Obstacle.SHORT -> free() + " free, " + needed();
            case Obstacle.FEW_PERCENT -> amount + freePercent(" free, ");
            case Obstacle.NO_SLOT ->
                "has no free slot: pods have all " + state.capacity().slots();
            case Obstacle.WITHOUT_SLOTS -> "has no slots: its device plugin needs --hami";
            case Obstacle.SHARED -> "serves memory pods, so it can't be taken whole";
            case Obstacle.TAKEN_WHOLE -> "taken whole";
            case Obstacle.FOREIGN_USE ->
                "would fit, but processes use " + state.card().foreign().text() + " that is not allocated to them";
            case Obstacle.HELD -> "held while pods are moved away from it";
            case Obstacle.IN_USE -> "in use by " + state.card().inUseBy();
            case Obstacle.TAINTED -> "has the taint " + state.card().taint();
            case Obstacle.CORDONED -> "cordoned";
            case Obstacle.UNHEALTHY ->
                "unhealthy" + (state.card().health() instanceof Health.Unhealthy(String why) ? ": " + why : "");
            case Obstacle.NO_MEMORY ->
                demand.mayShare(state.card()) ? "offers no memory: " + missing() : "has " + NEEDS_NO_MPS;
            case Obstacle.NOT_LIMITED ->
                "does not limit " + percent() + ": "
                        + (percent().in(state.capacity()) == 0
                                ? "its device plugin has no " + percent().option()
                                : missing().isEmpty()
                                        ? state.card().isolation().inForce().lacks(percent())
                                        : missing());
            case Obstacle.INSTANCE -> "a MIG instance" + (demand.shares() ? SEES_ONE : ", and a whole card is needed");
            case Obstacle.TOO_SMALL -> "too small: it has " + capacity() + ", " + needed();
            case Obstacle.NOT_SELECTED ->
                "not selected by "
                        + demand.selector()
                                .unmet(state.card(), inventory.driver())
                                .orElse("");
        };
    }

    private Memory demanded() {
        return memory(demand.share().on(state.capacity()).units());
    }

    private Memory memory(int units) {
        return inventory.unit().of(units);
    }

    private String capacity() {
        return memory(state.capacity().units()).text(demanded());
    }

    private String free() {
        return memory(amount).text(demanded()) + " of " + capacity();
    }

    private String needed() {
        Memory has = memory(verdict == Obstacle.TOO_SMALL ? state.capacity().units() : amount);
        return demanded().text(has) + " needed";
    }

    private String freePercent(String where) {
        return "% of the " + percent() + where + percent().in(demand.share()) + "% needed";
    }

    /** The percentage that the card can't give. */
    private ShareKind percent() {
        return Obstacle.percent(demand.share(), state);
    }

    private String missing() {
        return state.card().isolation().missing();
    }
}
