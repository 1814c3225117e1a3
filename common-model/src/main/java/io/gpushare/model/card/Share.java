package io.gpushare.model.card;

import java.util.Arrays;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An amount of GPU: what one card has, what is allocated or free on it, what one container gets of it, or the sum of
 * such amounts over several cards. It is an amount of each {@link ShareKind}, and what is special about a kind is
 * there.
 */
public final class Share {
    private static final ShareKind[] KINDS = ShareKind.values();

    // Sets of kinds, as bits by their numbers: filter asks for the cards of thousands of nodes.
    private static final int PARTS = bits(ShareKind::part);
    private static final int PERCENTS = bits(ShareKind::percent);
    private static final int WHOLE = bits(ShareKind::whole);
    private static final int COUNTED_ALONE = bits(ShareKind::countedAlone);

    // A large cluster has very many shares, and few different ones. Memory alone keeps its place, the others share the
    // rest of the places: the last of them has it.
    private static final int SMALL = 256;
    private static final @Nullable Share[] KNOWN = new Share[SMALL + 16_384];

    public static final Share NONE = of();
    public static final Share WHOLE_CARD = whole(1);
    public static final Share ALL_CORES = cores(ShareKind.ALL);

    /** A MIG instance taken whole. */
    public static final Share INSTANCE = instances(1);

    /** A card taken whole by a container that requests slots. */
    public static final Share SLOTTED_CARD = whole(1).plus(slots(1));

    // By the number of the kind, without zeros at the end.
    private final int[] amounts;

    private Share(int[] amounts) {
        this.amounts = amounts;
    }

    private static int bits(Predicate<ShareKind> which) {
        return Stream.of(KINDS)
                .filter(which)
                .mapToInt(kind -> 1 << number(kind))
                .sum();
    }

    /** The place of the kind among the amounts; nothing is written by it. */
    @SuppressWarnings("EnumOrdinal")
    private static int number(ShareKind kind) {
        return kind.ordinal();
    }

    private static Share of(int... amounts) {
        Share share = new Share(trimmed(amounts));
        int units = share.units();
        int hash = share.hashCode();
        int place = share.amounts.length < 2 && units < SMALL
                ? units
                : SMALL + Math.floorMod(hash ^ (hash >>> 16), KNOWN.length - SMALL);
        @Nullable Share known = KNOWN[place];
        if (share.equals(known)) {
            return known;
        }
        KNOWN[place] = share;
        return share;
    }

    private static int[] trimmed(int[] amounts) {
        int length = amounts.length;
        while (length > 0 && amounts[length - 1] == 0) {
            length--;
        }
        return length == amounts.length ? amounts : Arrays.copyOf(amounts, length);
    }

    /** That many memory units. */
    public static Share memory(int units) {
        return ShareKind.MEMORY.share(units);
    }

    /** That many cards taken whole. */
    public static Share whole(int cards) {
        return ShareKind.WHOLE_CARDS.share(cards);
    }

    /** That many percent of one card's cores. */
    public static Share cores(int percent) {
        return ShareKind.CORES.share(percent);
    }

    /** That many slots. */
    public static Share slots(int slots) {
        return ShareKind.SLOTS.share(slots);
    }

    /** That percentage of one card's memory. */
    public static Share part(int percent) {
        return ShareKind.PART.share(percent);
    }

    /** That many MIG instances taken whole. */
    public static Share instances(int instances) {
        return ShareKind.INSTANCES.share(instances);
    }

    int amount(ShareKind kind) {
        return amount(number(kind));
    }

    private int amount(int kind) {
        return kind < amounts.length ? amounts[kind] : 0;
    }

    public int units() {
        return amount(ShareKind.MEMORY);
    }

    public int wholeCards() {
        return amount(ShareKind.WHOLE_CARDS);
    }

    public int cores() {
        return amount(ShareKind.CORES);
    }

    public int slots() {
        return amount(ShareKind.SLOTS);
    }

    public int part() {
        return amount(ShareKind.PART);
    }

    public int instances() {
        return amount(ShareKind.INSTANCES);
    }

    public boolean isNone() {
        return amounts.length == 0;
    }

    /** The number of cards and MIG instances taken whole. */
    public int takenWhole() {
        return sum(wholeCards(), instances());
    }

    /** Whether it is slots alone: all that scheduler and kubelet count of a container with slots. */
    public boolean isSlots() {
        return slots() > 0 && equals(counted());
    }

    /** Whether it has a part of a card's memory or cores, which leaves the rest of the card to others. */
    public boolean hasPart() {
        return has(PARTS);
    }

    /** Whether it has a percentage of any kind. */
    public boolean hasPercents() {
        return has(PERCENTS);
    }

    /** The same without percentages. */
    public Share withoutPercents() {
        return without(PERCENTS);
    }

    /** The part that leaves the rest of its card to others: everything but whole cards and instances. */
    public Share shared() {
        return without(WHOLE);
    }

    /** What scheduler and kubelet count of it: its slots if it has any, otherwise everything. */
    public Share counted() {
        return has(COUNTED_ALONE) ? without(~COUNTED_ALONE) : this;
    }

    /** The same with that many memory units. */
    public Share withUnits(int changed) {
        return with(ShareKind.MEMORY, changed);
    }

    /** The same with that amount of that kind. */
    public Share with(ShareKind kind, int amount) {
        if (amount < 0) {
            throw new IllegalArgumentException("a share can't be negative");
        }
        if (amount == amount(kind)) {
            return this;
        }
        int[] changed = Arrays.copyOf(amounts, Math.max(amounts.length, number(kind) + 1));
        changed[number(kind)] = amount;
        return of(changed);
    }

    /** The same without that kind. */
    public Share without(ShareKind kind) {
        return with(kind, 0);
    }

    /** The same without those kinds. */
    public Share without(Predicate<ShareKind> which) {
        return without(bits(which));
    }

    private Share without(int kinds) {
        if (!has(kinds)) {
            return this;
        }
        int[] left = amounts.clone();
        for (int i = 0; i < left.length; i++) {
            left[i] = (kinds >> i & 1) == 0 ? left[i] : 0;
        }
        return of(left);
    }

    private boolean has(int kinds) {
        for (int i = 0; i < amounts.length; i++) {
            if (amounts[i] > 0 && (kinds >> i & 1) != 0) {
                return true;
            }
        }
        return false;
    }

    /**
     * The same on a card with that capacity: a percentage of its memory is the whole units of it, at least one, so that
     * as many such shares fit on the card as their percentages allow.
     */
    public Share on(Share capacity) {
        int percent = part();
        if (percent == 0) {
            return this;
        }
        long units = units() + Math.max(1, (long) capacity.units() * percent / ShareKind.ALL);
        int[] here = amounts.clone();
        here[number(ShareKind.MEMORY)] = (int) Math.min(Integer.MAX_VALUE, units);
        here[number(ShareKind.PART)] = 0;
        // Most of these are only compared.
        return new Share(trimmed(here));
    }

    /**
     * Whether all of this is contained in {@code free}, which has no percentage of the memory: never before it is taken
     * {@link #on}.
     */
    public boolean fits(Share free) {
        int[] left = free.amounts;
        for (int i = 0; i < amounts.length; i++) {
            if (amounts[i] > (i < left.length ? left[i] : 0)) {
                return false;
            }
        }
        return true;
    }

    /** The sum, at most {@link Integer#MAX_VALUE} of each kind: an annotation may contain any amount. */
    public Share plus(Share other) {
        if (other.isNone() || isNone()) {
            return isNone() ? other : this;
        }
        int[] sums = new int[Math.max(amounts.length, other.amounts.length)];
        for (int i = 0; i < sums.length; i++) {
            sums[i] = sum(amount(i), other.amount(i));
        }
        return of(sums);
    }

    /** The larger amount of each kind. */
    public Share max(Share other) {
        return plus(other.minus(this));
    }

    /** The difference, at least 0 of each kind. */
    public Share minus(Share other) {
        int[] left = new int[amounts.length];
        for (int i = 0; i < left.length; i++) {
            left[i] = Math.max(0, amounts[i] - other.amount(i));
        }
        return of(left);
    }

    /** Whether {@link #dividedBy} leaves no remainder. */
    public boolean divisibleBy(int cards) {
        return Arrays.stream(shared().amounts).allMatch(amount -> amount % cards == 0);
    }

    /** The shared part on each of that many cards. */
    public Share dividedBy(int cards) {
        return cards == 1
                ? shared()
                : of(Arrays.stream(shared().amounts)
                        .map(amount -> amount / cards)
                        .toArray());
    }

    private static int sum(int one, int other) {
        return (int) Math.min(Integer.MAX_VALUE, (long) one + other);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other || (other instanceof Share that && Arrays.equals(amounts, that.amounts));
    }

    @Override
    public int hashCode() {
        int hash = 0;
        for (int kind = 0; kind < KINDS.length; kind++) {
            hash = 31 * hash + amount(kind);
        }
        return hash;
    }

    @Override
    public String toString() {
        return Stream.of(KINDS)
                .filter(kind -> amount(kind) > 0)
                .map(kind -> kind + "=" + amount(kind))
                .collect(Collectors.joining(", ", "Share[", "]"));
    }
}
