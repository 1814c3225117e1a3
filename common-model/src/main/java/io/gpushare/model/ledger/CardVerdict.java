package io.gpushare.model.ledger;

import io.gpushare.model.Demand;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.selector.CardCondition;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The verdict of one card in words: a row for each, here and nowhere else. A node with a fitting card is still refused
 * if the pod needs more cards than fit.
 *
 * @param demand what the card was asked for
 * @param amount what the card has of what is lacking, or the number of cards where these are too few
 */
public record CardVerdict(Demand demand, Verdict verdict, CardState state, Inventory inventory, int amount) {
    private static final String NEEDS_NO_MPS = "MPS, and a pod with memory on several cards needs cards without it";
    private static final String SEES_ONE =
            ", of which a program sees only one: memory on several cards needs cards without MIG";

    /**
     * A verdict in words.
     *
     * @param card what one card can give or why it can't, with its figures
     * @param nodes the same for cards of several nodes, of which none comes nearer
     */
    private record Words(String card, String nodes) {
        Words(String both) {
            this(both, both);
        }
    }

    /** What that card answers. */
    public static CardVerdict of(Demand demand, CardState state, Inventory inventory) {
        Verdict verdict = Verdict.of(demand, state);
        int amount = verdict instanceof Obstacle obstacle ? obstacle.amount(demand, state) : 0;
        return new CardVerdict(demand, verdict, state, inventory, amount);
    }

    /** The verdict of the node's nearest card; empty for a node without cards, or that has become feasible. */
    public static Optional<CardVerdict> of(@Nullable Nearest nearest, Inventory inventory) {
        return nearest == null || nearest.card() == null
                ? Optional.empty()
                : Optional.of(new CardVerdict(
                        nearest.demand(), nearest.obstacle(), nearest.card(), inventory, nearest.amount()));
    }

    /** Whether the card has the requested share free, or can be taken whole, whichever the pod requests. */
    public boolean takes() {
        return verdict.fits();
    }

    /** What the card can give or why it can't, with figures, for users. */
    public String sentence() {
        return words().card();
    }

    /** The same for several nodes of which none comes nearer. */
    public String ofNodes() {
        return words().nodes();
    }

    private Words words() {
        return switch (verdict) {
            case Verdict.Fits _ when demand.inPart() -> new Words("enough is free");
            case Verdict.Fits _ when !demand.shares() || demand.wholeCards() == 0 -> new Words("fits");
            case Verdict.Fits.EITHER -> new Words("fits, shared or whole");
            case Verdict.Fits.SHARED -> new Words("fits the memory, but can't be taken whole");
            case Verdict.Fits.WHOLE -> new Words("can be taken whole, but does not fit the memory");
            case Obstacle.FEW -> new Words("fits, shared or whole", cards("card fits", "cards fit"));
            case Obstacle.TOO_FEW -> new Words("fits, shared or whole", cards("such card", "such cards"));
            case Obstacle.NO_SLOT ->
                new Words("has no free slot: pods have all " + state.capacity().slots(), "without a free slot");
            case Obstacle.FEW_PERCENT ->
                new Words(amount + freePercent(" free, "), "at most " + amount + freePercent(" free on one card, "));
            case Obstacle.SHORT ->
                new Words(free() + " free, " + needed(), "at most " + free() + " free on one card, " + needed());
            case Obstacle.SHARED ->
                new Words(
                        "serves memory pods, so it can't be taken whole",
                        "shared by memory pods, so they can't be taken whole");
            case Obstacle.TAKEN_WHOLE -> new Words("taken whole", "taken whole by other pods");
            case Obstacle.FOREIGN_USE ->
                new Words(
                        "would fit, but processes use " + state.card().foreign().text()
                                + " that is not allocated to them",
                        "with memory in use that is not allocated");
            case Obstacle.HELD ->
                new Words("held while pods are moved away from it", "held while pods are moved away from them");
            case Obstacle.IN_USE ->
                new Words(
                        "in use by " + state.card().inUseBy(),
                        "in use by pods or claims that have them by another offer of their nodes, or that have ended"
                                + " and still compute there");
            case Obstacle.TAINTED -> new Words("has the taint " + state.card().taint(), "tainted by DeviceTaintRules");
            case Obstacle.CORDONED -> new Words("cordoned");
            case Obstacle.UNHEALTHY ->
                new Words("unhealthy"
                        + (state.card().health() instanceof Health.Unhealthy(String why) ? ": " + why : ""));
            case Obstacle.NO_MEMORY ->
                demand.mayShare(state.card())
                        ? new Words("offers no memory: " + missing(), "offer no memory: " + missing())
                        : new Words("has " + NEEDS_NO_MPS, NEEDS_NO_MPS);
            case Obstacle.TOO_SMALL ->
                new Words(
                        "too small: it has " + capacity() + ", " + needed(),
                        "too small: one card has " + capacity() + ", " + needed());
            case Obstacle.NOT_LIMITED ->
                new Words(
                        "does not limit " + percent() + ": " + unlimited(),
                        "do not limit " + percent() + ", which needs "
                                + percent().option() + " and --isolation="
                                + Isolation.limiting(percent())
                                + (missing().isEmpty() ? "" : ": " + missing()));
            case Obstacle.WITHOUT_SLOTS ->
                new Words(
                        "has no slots: its device plugin needs --hami",
                        "without slots: their device plugin needs --hami");
            case Obstacle.INSTANCE ->
                new Words(
                        "a MIG instance" + (demand.shares() ? SEES_ONE : ", and a whole card is needed"),
                        "MIG instances" + (demand.shares() ? SEES_ONE : ", and whole cards are needed"));
            case Obstacle.NOT_SELECTED ->
                new Words(
                        "not selected by "
                                + demand.selector()
                                        .unmet(state.card(), inventory.driver())
                                        .orElse(""),
                        "not selected by "
                                + demand.selector().conditions().stream()
                                        .filter(condition -> !condition.holds(state.card(), inventory.driver()))
                                        .map(CardCondition::toString)
                                        .findFirst()
                                        .orElse(""));
            case Obstacle.ABSENT -> new Words("not there");
        };
    }

    private String cards(String one, String several) {
        return "at most " + amount + " " + (amount == 1 ? one : several) + " on one node, " + demand.cards()
                + " needed";
    }

    private String unlimited() {
        return percent().in(state.capacity()) == 0
                ? "its device plugin has no " + percent().option()
                : missing().isEmpty() ? state.card().isolation().inForce().lacks(percent()) : missing();
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
