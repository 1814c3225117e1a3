package io.gpushare.extender.report;

import io.gpushare.model.Demand;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.selector.CardCondition;
import java.util.Comparator;
import java.util.Optional;

/**
 * What keeps a card from taking its part of a pod's demand. Of a node it is the obstacle of the card that comes
 * nearest.
 *
 * @param amount the units or the percent of its cores that this card could give, or the number of cards that fit; 0
 *     where it does not matter
 */
record Obstacle(Kind kind, CardState state, Inventory inventory, int amount) {
    /** The kinds, the nearest miss first. */
    enum Kind {
        /** A card fits, but more such cards are needed. */
        FEW,
        /** Other pods share it and leave too little. */
        SHORT,
        /** Other pods share it and leave too little of its cores. */
        FEW_CORES,
        /** Other pods have all its slots. */
        NO_SLOT,
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
        /** Its device plugin offers none. */
        WITHOUT_SLOTS,
        TOO_SMALL,
        /** It is a MIG instance, and the pod requests whole cards, or memory on several. */
        INSTANCE,
        NOT_SELECTED
    }

    private static final String NEEDS_NO_MPS = "MPS, and a pod with memory on several cards needs cards without it";
    private static final String SEES_ONE =
            ", of which a program sees only one: memory on several cards needs cards without MIG";
    private static final Comparator<Obstacle> NEAREST_FIRST = Comparator.comparing(Obstacle::kind)
            .thenComparing(Comparator.comparingInt(Obstacle::amount).reversed());

    /** The obstacle of the node's nearest card; empty for a node without cards. */
    static Optional<Obstacle> of(Demand demand, NodeCards node) {
        int fitting = (int)
                node.cards().stream().filter(state -> takes(demand, state)).count();
        return node.cards().stream()
                .map(state -> of(demand, state, node.inventory())
                        .orElseGet(() -> new Obstacle(Kind.FEW, state, node.inventory(), fitting)))
                .min(NEAREST_FIRST);
    }

    /** The obstacle of one card; empty if the card can take its part of the demand. */
    static Optional<Obstacle> of(Demand demand, CardState state, Inventory inventory) {
        if (takes(demand, state)) {
            return Optional.empty();
        }
        Kind kind = nearest(demand, state);
        int amount = switch (kind) {
            case SHORT -> state.free().units();
            case FEW_CORES -> state.free().cores();
            case TOO_SMALL -> state.capacity().units();
            default -> 0;
        };
        return Optional.of(new Obstacle(kind, state, inventory, amount));
    }

    private static boolean takes(Demand demand, CardState state) {
        boolean shared = demand.shares() && state.offers(demand.share()) && demand.mayShare(state.card());
        return state.card().placeable()
                && (shared || (demand.wholeCards() > 0 && state.offers(demand.wholeShare())))
                && state.acceptedBy(demand.selector());
    }

    private static Kind nearest(Demand demand, CardState state) {
        Card card = state.card();
        if (!state.acceptedBy(demand.selector())) {
            return Kind.NOT_SELECTED;
        }
        if (card.id().instance() && !demand.instances() && !(demand.shares() && demand.mayShare(card))) {
            return Kind.INSTANCE;
        }
        if (demand.shares()
                && card.hasMemory()
                && needed(demand, state) > state.capacity().units()) {
            return Kind.TOO_SMALL;
        }
        if (!card.health().healthy()) {
            return Kind.UNHEALTHY;
        }
        if (card.held()) {
            return Kind.HELD;
        }
        if (card.cordoned()) {
            return Kind.CORDONED;
        }
        if (demand.shares() && (!demand.mayShare(card) || !card.sharesMemory())) {
            return Kind.NO_MEMORY;
        }
        if (demand.slotted() && state.capacity().slots() == 0) {
            return Kind.WITHOUT_SLOTS;
        }
        if (demand.share().cores() > 0 && !demand.slotted() && !state.limitsCores()) {
            return Kind.NO_CORE_LIMITS;
        }
        if (state.takenWhole()) {
            return Kind.TAKEN_WHOLE;
        }
        if (demand.shares() && state.offers(demand.share().memoryOnly())) {
            return demand.slotted() && state.free().slots() == 0 ? Kind.NO_SLOT : Kind.FEW_CORES;
        }
        return demand.shares() ? Kind.SHORT : Kind.SHARED;
    }

    /** The obstacle in words, for several nodes of which none comes nearer. */
    String ofNodes(Demand demand) {
        return switch (kind) {
            case FEW ->
                "at most " + amount + (amount == 1 ? " card fits" : " cards fit") + " on one node, " + demand.cards()
                        + " needed";
            case SHORT -> "at most " + free() + " free on one card, " + needed(demand);
            case FEW_CORES -> "at most " + freeCores() + " free on one card, " + neededCores(demand);
            case NO_SLOT -> "without a free slot";
            case WITHOUT_SLOTS -> "without slots: their device plugin needs --hami";
            case SHARED -> "shared by memory pods, so they can't be taken whole";
            case TAKEN_WHOLE -> "taken whole by other pods";
            case HELD -> "held while pods are moved away from them";
            case NO_MEMORY -> demand.mayShare(state.card()) ? "offer no memory: " + noMemory() : NEEDS_NO_MPS;
            case NO_CORE_LIMITS -> "do not limit cores, which needs --core-resource and --isolation=mps or hami-core";
            case INSTANCE -> "MIG instances" + (demand.shares() ? SEES_ONE : ", and whole cards are needed");
            case TOO_SMALL -> "too small: one card has " + capacity() + ", " + needed(demand);
            case NOT_SELECTED ->
                "not selected by "
                        + demand.selector().conditions().stream()
                                .filter(condition -> !condition.holds(state.card(), inventory.driver()))
                                .map(CardCondition::toString)
                                .findFirst()
                                .orElse("");
            case CORDONED, UNHEALTHY -> ofCard(demand);
        };
    }

    /** The obstacle of this card in words. */
    String ofCard(Demand demand) {
        return switch (kind) {
            case FEW -> "fits";
            case SHORT -> free() + " free, " + needed(demand);
            case FEW_CORES -> freeCores() + " free, " + neededCores(demand);
            case NO_SLOT ->
                "has no free slot: pods have all " + state.capacity().slots();
            case WITHOUT_SLOTS -> "has no slots: its device plugin needs --hami";
            case SHARED -> "serves memory pods, so it can't be taken whole";
            case TAKEN_WHOLE -> "taken whole";
            case HELD -> "held while pods are moved away from it";
            case CORDONED -> "cordoned";
            case UNHEALTHY ->
                "unhealthy" + (state.card().health() instanceof Health.Unhealthy(String why) ? ": " + why : "");
            case NO_MEMORY -> demand.mayShare(state.card()) ? "offers no memory: " + noMemory() : "has " + NEEDS_NO_MPS;
            case NO_CORE_LIMITS ->
                "does not limit cores: "
                        + (state.capacity().cores() == 0
                                ? "its device plugin has no --core-resource"
                                : "isolation " + state.card().isolation().inForce()
                                        + " is in force, and mps or hami-core is needed");
            case INSTANCE -> "a MIG instance" + (demand.shares() ? SEES_ONE : ", and a whole card is needed");
            case TOO_SMALL -> "too small: it has " + capacity() + ", " + needed(demand);
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

    private String needed(Demand demand) {
        return inventory.unit().amount(needed(demand, state)) + " needed";
    }

    private static int needed(Demand demand, CardState state) {
        return demand.share().on(state.capacity()).units();
    }

    private String freeCores() {
        return amount + "% of the cores";
    }

    private static String neededCores(Demand demand) {
        return demand.share().cores() + "% needed";
    }

    private String noMemory() {
        return state.card().isolation().missing();
    }

    /** Whether it comes nearer to fitting than the other. */
    boolean nearer(Obstacle other) {
        return NEAREST_FIRST.compare(this, other) < 0;
    }
}
