package io.gpushare.model.card;

/**
 * An amount of GPU: what one card has, what is allocated or free on it, what one container gets of it, or the sum of
 * such amounts over several cards.
 *
 * @param units memory units
 * @param wholeCards cards taken whole
 * @param cores percent of one card's computing cores: at most so many compute for each process of the container at one
 *     time. 0 where that is not limited
 * @param slots slots of cards. A container that requests slots has one of each of its cards, beside its part of the
 *     card or the whole card, and scheduler and kubelet count nothing else of it
 * @param part percent of one card's memory in place of units, in a demand only: see {@link #on}
 * @param instances MIG instances taken whole, which are no whole cards
 */
public record Share(int units, int wholeCards, int cores, int slots, int part, int instances) {
    public static final Share NONE = new Share(0, 0);
    public static final Share WHOLE_CARD = new Share(0, 1);
    public static final Share ALL_CORES = new Share(0, 0, 100);

    /** A MIG instance taken whole. */
    public static final Share INSTANCE = instances(1);

    /** A card taken whole by a container that requests slots. */
    public static final Share SLOTTED_CARD = new Share(0, 1, 0, 1, 0);

    private static final int ALL = 100;

    // A large cluster has very many shares, nearly all of them small.
    private static final Share[] SMALL = new Share[256];

    static {
        for (int units = 0; units < SMALL.length; units++) {
            SMALL[units] = new Share(units, 0);
        }
    }

    public Share {
        if (units < 0 || wholeCards < 0 || cores < 0 || slots < 0 || part < 0 || instances < 0) {
            throw new IllegalArgumentException("a share can't be negative");
        }
    }

    /** A share without MIG instances taken whole. */
    public Share(int units, int wholeCards, int cores, int slots, int part) {
        this(units, wholeCards, cores, slots, part, 0);
    }

    /** A share without a part of the cores. */
    public Share(int units, int wholeCards) {
        this(units, wholeCards, 0, 0, 0);
    }

    /** A share of memory units, whole cards and cores. */
    public Share(int units, int wholeCards, int cores) {
        this(units, wholeCards, cores, 0, 0);
    }

    /** That many memory units. */
    public static Share memory(int units) {
        return units >= 0 && units < SMALL.length ? SMALL[units] : new Share(units, 0);
    }

    /** That many cards taken whole. */
    public static Share whole(int cards) {
        return cards == 1 ? WHOLE_CARD : new Share(0, cards);
    }

    /** That many percent of one card's cores. */
    public static Share cores(int percent) {
        return percent == 0 ? NONE : new Share(0, 0, percent);
    }

    /** That many slots. */
    public static Share slots(int slots) {
        return slots == 0 ? NONE : new Share(0, 0, 0, slots, 0);
    }

    /** That percentage of one card's memory. */
    public static Share part(int percent) {
        return percent == 0 ? NONE : new Share(0, 0, 0, 0, percent);
    }

    /** That many MIG instances taken whole. */
    public static Share instances(int instances) {
        return instances == 0 ? NONE : new Share(0, 0, 0, 0, 0, instances);
    }

    public boolean isNone() {
        return units == 0 && wholeCards == 0 && cores == 0 && slots == 0 && part == 0 && instances == 0;
    }

    /** The number of cards and MIG instances taken whole. */
    public int takenWhole() {
        return sum(wholeCards, instances);
    }

    /** Whether it is slots alone: all that scheduler and kubelet count of a container with slots. */
    public boolean isSlots() {
        return slots > 0 && equals(slots(slots));
    }

    /** Whether it has a part of a card's memory or cores, which leaves the rest of the card to others. */
    public boolean hasPart() {
        return units > 0 || cores > 0 || part > 0;
    }

    /** The part that leaves the rest of its card to others: everything but whole cards and instances. */
    public Share shared() {
        return takenWhole() == 0 ? this : of(units, 0, cores, slots, part, 0);
    }

    /** What scheduler and kubelet count of it: its slots if it has any, otherwise everything. */
    public Share counted() {
        return slots == 0 ? this : slots(slots);
    }

    /**
     * The same on a card with that capacity: a percentage of its memory is the whole units of it, at least one, so that
     * as many such shares fit on the card as their percentages allow.
     */
    public Share on(Share capacity) {
        return part == 0
                ? this
                : of(
                        sum(units, (int) Math.max(1, (long) capacity.units * part / ALL)),
                        wholeCards,
                        cores,
                        slots,
                        0,
                        instances);
    }

    /** The same with that many memory units. */
    public Share withUnits(int changed) {
        return changed == units ? this : of(changed, wholeCards, cores, slots, part, instances);
    }

    /** The same without slots. */
    public Share withoutSlots() {
        return slots == 0 ? this : of(units, wholeCards, cores, 0, part, instances);
    }

    /** The same without a percentage of the memory. */
    public Share withoutPart() {
        return part == 0 ? this : of(units, wholeCards, cores, slots, 0, instances);
    }

    /** Whether it has a percentage of any kind. */
    public boolean hasPercents() {
        return cores > 0;
    }

    /** The same without percentages. */
    public Share withoutPercents() {
        return !hasPercents() ? this : of(units, wholeCards, 0, slots, part, instances);
    }

    /**
     * Whether all of this is contained in {@code free}; never before a percentage of the memory is taken {@link #on}.
     */
    public boolean fits(Share free) {
        return units <= free.units
                && wholeCards <= free.wholeCards
                && cores <= free.cores
                && slots <= free.slots
                && instances <= free.instances
                && part == 0;
    }

    /** The sum, at most {@link Integer#MAX_VALUE} of each kind: an annotation may contain any amount. */
    public Share plus(Share other) {
        return other.isNone()
                ? this
                : of(
                        sum(units, other.units),
                        sum(wholeCards, other.wholeCards),
                        sum(cores, other.cores),
                        sum(slots, other.slots),
                        sum(part, other.part),
                        sum(instances, other.instances));
    }

    /** The larger amount of each kind. */
    public Share max(Share other) {
        return plus(other.minus(this));
    }

    /** The difference, at least 0 of each kind. */
    public Share minus(Share other) {
        return of(
                Math.max(0, units - other.units),
                Math.max(0, wholeCards - other.wholeCards),
                Math.max(0, cores - other.cores),
                Math.max(0, slots - other.slots),
                Math.max(0, part - other.part),
                Math.max(0, instances - other.instances));
    }

    /** Whether {@link #dividedBy} leaves no remainder. */
    public boolean divisibleBy(int cards) {
        return units % cards == 0 && cores % cards == 0 && slots % cards == 0 && part % cards == 0;
    }

    /** The shared part on each of that many cards. */
    public Share dividedBy(int cards) {
        return of(units / cards, 0, cores / cards, slots / cards, part / cards, 0);
    }

    private static Share of(int units, int wholeCards, int cores, int slots, int part, int instances) {
        return cores == 0 && slots == 0 && part == 0 && wholeCards == 0 && instances == 0
                ? memory(units)
                : new Share(units, wholeCards, cores, slots, part, instances);
    }

    private static int sum(int one, int other) {
        return (int) Math.min(Integer.MAX_VALUE, (long) one + other);
    }
}
