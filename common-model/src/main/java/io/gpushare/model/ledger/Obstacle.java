package io.gpushare.model.ledger;

import io.gpushare.model.Demand;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.Share;
import io.gpushare.model.card.ShareKind;
import org.jspecify.annotations.Nullable;

/**
 * What keeps a card from taking its part of a demand, the nearest miss first. Of several obstacles a card has the
 * farthest: without that one it would still have the others. A node has that of its nearest card.
 *
 * <p>A new one is a constant with its cause and the rule below that finds it, its words in {@link CardVerdict}, and
 * what helps in the extender's {@code CardAdvice}.
 */
public enum Obstacle implements Verdict {
    /** Of a node: cards fit, but more are needed. */
    FEW(Cause.OCCUPIED),
    /** Other pods have all its slots. */
    NO_SLOT(Cause.OCCUPIED),
    /** Other pods share it and leave too little of a percentage. */
    FEW_PERCENT(Cause.OCCUPIED),
    /** Other pods share it and leave too little memory. */
    SHORT(Cause.OCCUPIED),
    /** Other pods share it, so it can't be taken whole. */
    SHARED(Cause.OCCUPIED),
    TAKEN_WHOLE(Cause.OCCUPIED),
    /** Processes use its memory to which nothing of it is allocated. */
    FOREIGN_USE(Cause.OCCUPIED),
    /** While pods are moved away: by an annotation of the node. */
    HELD(Cause.CORDONED),
    /** Pods or claims have it by another offer than its node's. */
    IN_USE(Cause.IN_USE),
    /** By a DeviceTaintRule, for claims that do not tolerate it. */
    TAINTED(Cause.CORDONED),
    CORDONED(Cause.CORDONED),
    UNHEALTHY(Cause.UNHEALTHY),
    /** It offers no memory, or not to a pod on several cards, because of the isolation. */
    NO_MEMORY(Cause.NO_ISOLATION),
    TOO_SMALL(Cause.OTHER_CARD),
    /** It does not limit a percentage, or does not offer it. */
    NOT_LIMITED(Cause.NOT_LIMITED),
    /** Its device plugin offers none. */
    WITHOUT_SLOTS(Cause.OTHER_CARD),
    /** Of a node: it has fewer cards than are needed. */
    TOO_FEW(Cause.OTHER_CARD),
    /** It is a MIG instance, and the pod requests whole cards, or memory on several; or it is none. */
    INSTANCE(Cause.OTHER_CARD),
    NOT_SELECTED(Cause.OTHER_CARD),
    /** The node does not have it. */
    ABSENT(Cause.ABSENT);

    /** What obstacles have in common for a pod that was given the card already, and for what helps. */
    public enum Cause {
        /** Others have too much of it, or use it. */
        OCCUPIED,
        /** Others have it by another offer than its node's. */
        IN_USE,
        /** Somebody keeps new pods from it. */
        CORDONED,
        UNHEALTHY,
        /** Its isolation is not in force, or is not for such pods. */
        NO_ISOLATION,
        /** What is in force does not limit a percentage. */
        NOT_LIMITED,
        /** It is too small, or not of the kind that is requested. */
        OTHER_CARD,
        ABSENT
    }

    private final Cause cause;

    Obstacle(Cause cause) {
        this.cause = cause;
    }

    public Cause cause() {
        return cause;
    }

    /** What a card with this obstacle has of what is lacking, in units or percent; 0 where that does not matter. */
    public int amount(Demand demand, CardState state) {
        CardState card = state.to(demand);
        return switch (this) {
            case SHORT -> card.free().units();
            case FEW_PERCENT -> percent(demand.share(), card).in(card.free());
            case TOO_SMALL -> card.capacity().units();
            default -> 0;
        };
    }

    /** The percentage in the share that the card can't give: it does not limit it, or else too little of it is free. */
    public static ShareKind percent(Share share, CardState card) {
        return ShareKind.PERCENTS.stream()
                .filter(kind -> !limited(kind, share, card))
                .findFirst()
                .or(() -> ShareKind.PERCENTS.stream()
                        .filter(kind -> kind.in(share) > kind.in(card.free()))
                        .findFirst())
                .orElseThrow();
    }

    /** What keeps the card from giving the demand's share of it; null if nothing does. */
    static @Nullable Obstacle ofShare(Demand demand, CardState card) {
        CardState state = card.to(demand);
        if (!state.acceptedBy(demand.selector())) {
            return NOT_SELECTED;
        }
        @Nullable Obstacle alone = of(demand.share(), state);
        if (demand.mayShare(state.card())) {
            return alone;
        }
        Obstacle together = state.card().id().instance() ? INSTANCE : NO_MEMORY;
        return alone != null && alone.compareTo(together) > 0 ? alone : together;
    }

    /** What keeps the card from being taken whole for the demand; null if nothing does. */
    static @Nullable Obstacle ofWhole(Demand demand, CardState card) {
        CardState state = card.to(demand);
        return state.acceptedBy(demand.selector()) ? of(demand.wholeShare(), state) : NOT_SELECTED;
    }

    /** What keeps the card from giving that share; null if nothing does. */
    static @Nullable Obstacle of(Share share, CardState state) {
        Share here = share.on(state.capacity());
        boolean limited = !share.hasPercents() || limited(share, state);
        if (limited && here.fits(state.free())) {
            return null;
        }
        Card card = state.card();
        if (card.id().instance() ? here.wholeCards() > 0 : here.instances() > 0) {
            return INSTANCE;
        }
        if (here.slots() > 0 && state.capacity().slots() == 0) {
            return WITHOUT_SLOTS;
        }
        if (!limited) {
            return NOT_LIMITED;
        }
        if (here.units() > state.capacity().units() && card.hasMemory()) {
            return TOO_SMALL;
        }
        if (here.hasPart() && !card.sharesMemory()) {
            return NO_MEMORY;
        }
        return card.placeable() ? occupied(here, state) : closed(card);
    }

    /** Whether the card gives the percentages of the share. Who requests slots may have cores that nothing limits. */
    private static boolean limited(Share share, CardState state) {
        for (ShareKind kind : ShareKind.PERCENTS) {
            if (!limited(kind, share, state)) {
                return false;
            }
        }
        return true;
    }

    private static boolean limited(ShareKind kind, Share share, CardState state) {
        return kind.in(share) == 0 || (share.slots() > 0 ? kind.in(state.capacity()) > 0 : state.limits(kind));
    }

    private static Obstacle closed(Card card) {
        if (!card.health().healthy()) {
            return UNHEALTHY;
        }
        if (card.cordoned()) {
            return CORDONED;
        }
        return card.taint() != null ? TAINTED : card.inUseBy() != null ? IN_USE : HELD;
    }

    private static Obstacle occupied(Share here, CardState state) {
        if (state.takenWhole()) {
            return TAKEN_WHOLE;
        }
        if (state.lackedByForeign(here)) {
            return FOREIGN_USE;
        }
        if (here.takenWhole() > 0) {
            return SHARED;
        }
        if (here.units() > state.free().units()) {
            return SHORT;
        }
        for (ShareKind kind : ShareKind.PERCENTS) {
            if (kind.in(here) > kind.in(state.free())) {
                return FEW_PERCENT;
            }
        }
        return NO_SLOT;
    }
}
