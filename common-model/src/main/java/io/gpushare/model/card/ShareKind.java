package io.gpushare.model.card;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The kinds of amounts in a {@link Share}, and what is special about each. All but {@link #PART} are extended resources
 * in Kubernetes. A new percentage of a card is a constant here, what limits it in {@link Isolation#limits}, a resource
 * to request it by, and its sentences in {@link io.gpushare.model.ledger.Refusal}.
 */
public enum ShareKind {
    /** Memory units of cards that pods share. */
    MEMORY(Role.AMOUNT, "mem"),
    /** Whole cards. */
    WHOLE_CARDS(Role.WHOLE, "card"),
    /**
     * Percent of the cores of a card that pods share, beside its memory: at most so many compute for each process of
     * the container at one time. Clusters may do without this resource.
     */
    CORES(Role.PERCENT, "core"),
    /**
     * Slots of cards. A container that requests slots has one of each of its cards, beside its part of the card or the
     * whole card. Clusters may do without this resource.
     */
    SLOTS(Role.SLOT, "slot"),
    /** Percent of one card's memory in place of units, in a demand only: see {@link Share#on}. */
    PART(Role.FRACTION, ""),
    /** MIG instances taken whole, which are no whole cards. Each profile is a resource of its own. */
    INSTANCES(Role.WHOLE, "");

    /** What an amount of a kind is of its card. */
    private enum Role {
        AMOUNT,
        /** The card itself: nothing of it is left to others. */
        WHOLE,
        /** A percentage beside memory, which the isolation must limit. */
        PERCENT,
        /** All that scheduler and kubelet count of who has it. */
        SLOT,
        /** Becomes memory units on a card. */
        FRACTION
    }

    /** All of a card, of a kind that is a percentage. */
    public static final int ALL = 100;

    /** The kinds that are percents of a card, each beside the memory that its pods share. */
    public static final List<ShareKind> PERCENTS =
            Stream.of(values()).filter(ShareKind::percent).toList();

    /** The kinds that a container has only beside memory or whole cards. */
    public static final List<ShareKind> BESIDE = Stream.of(values())
            .filter(kind -> kind.percent() || kind.countedAlone())
            .toList();

    private final Role role;
    private final String device;

    ShareKind(Role role, String device) {
        this.role = role;
        this.device = device;
    }

    /** Whether it is a percentage of a card beside its memory. */
    public boolean percent() {
        return role == Role.PERCENT;
    }

    /** Whether it is cards or instances taken whole. The other kinds are divided over the cards of a container. */
    public boolean whole() {
        return role == Role.WHOLE;
    }

    /** Whether it is a part of a card's memory or cores, which leaves the rest of the card to others. */
    public boolean part() {
        return role == Role.AMOUNT || role == Role.PERCENT || role == Role.FRACTION;
    }

    /** Whether scheduler and kubelet count nothing else of a container that has it. */
    public boolean countedAlone() {
        return role == Role.SLOT;
    }

    /** Whether {@link Share#on} resolves it into memory units: no card and no allocation has any. */
    public boolean fraction() {
        return role == Role.FRACTION;
    }

    /** Its name in annotations and sentences. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The short name of its devices, in file names and options; empty for one that has no resource of its own. */
    public String device() {
        return device;
    }

    /** The option that names its resource, of a percentage. */
    public String option() {
        return "--" + device + "-resource";
    }

    /** The amount of this kind in that share. */
    public int in(Share share) {
        return share.amount(this);
    }

    /** A share of this kind alone. */
    public Share share(int amount) {
        return Share.NONE.with(this, amount);
    }

    /** The part of that kind of the share. */
    public Share partOf(Share share) {
        return share(in(share));
    }
}
