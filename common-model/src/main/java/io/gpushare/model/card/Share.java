package io.gpushare.model.card;

/**
 * An amount of GPU: what one card has, what is allocated or free on it, what one container gets of it, or the sum of
 * such amounts over several cards.
 *
 * @param units memory units
 * @param wholeCards cards taken whole
 * @param cores percent of one card's computing cores: at most so many compute for each process of the container at one
 *     time. 0 where that is not limited
 */
public record Share(int units, int wholeCards, int cores) {
    public static final Share NONE = new Share(0, 0);
    public static final Share WHOLE_CARD = new Share(0, 1);

    // A large cluster has very many shares, nearly all of them small.
    private static final Share[] SMALL = new Share[256];

    static {
        for (int units = 0; units < SMALL.length; units++) {
            SMALL[units] = new Share(units, 0);
        }
    }

    public Share {
        if (units < 0 || wholeCards < 0 || cores < 0) {
            throw new IllegalArgumentException("a share can't be negative");
        }
    }

    /** A share without a part of the cores. */
    public Share(int units, int wholeCards) {
        this(units, wholeCards, 0);
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

    public boolean isNone() {
        return units == 0 && wholeCards == 0 && cores == 0;
    }

    /** The part that leaves the rest of its card to others: everything but whole cards. */
    public Share shared() {
        return wholeCards == 0 ? this : of(units, cores);
    }

    /** The same with that many memory units. */
    public Share withUnits(int changed) {
        return changed == units ? this : new Share(changed, wholeCards, cores);
    }

    /** Whether it has a percentage of any kind. */
    public boolean hasPercents() {
        return cores > 0;
    }

    /** The same without percentages. */
    public Share withoutPercents() {
        return !hasPercents() ? this : wholeCards == 0 ? memory(units) : new Share(units, wholeCards);
    }

    /** Whether all of this is contained in {@code free}. */
    public boolean fits(Share free) {
        return units <= free.units && wholeCards <= free.wholeCards && cores <= free.cores;
    }

    /** The sum, at most {@link Integer#MAX_VALUE} of each kind: an annotation may contain any amount. */
    public Share plus(Share other) {
        return other.isNone()
                ? this
                : new Share(sum(units, other.units), sum(wholeCards, other.wholeCards), sum(cores, other.cores));
    }

    /** The difference, at least 0 of each kind. */
    public Share minus(Share other) {
        return new Share(
                Math.max(0, units - other.units),
                Math.max(0, wholeCards - other.wholeCards),
                Math.max(0, cores - other.cores));
    }

    /** Whether {@link #dividedBy} leaves no remainder. */
    public boolean divisibleBy(int cards) {
        return units % cards == 0 && cores % cards == 0;
    }

    /** The shared part on each of that many cards. */
    public Share dividedBy(int cards) {
        return of(units / cards, cores / cards);
    }

    private static Share of(int units, int cores) {
        return cores == 0 ? memory(units) : new Share(units, 0, cores);
    }

    private static int sum(int one, int other) {
        return (int) Math.min(Integer.MAX_VALUE, (long) one + other);
    }
}
