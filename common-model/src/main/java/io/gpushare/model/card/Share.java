package io.gpushare.model.card;

/**
 * An amount of GPU: what one card has, what is allocated or free on it, what one container gets of it, or the sum of
 * such amounts over several cards.
 *
 * @param units memory units
 * @param wholeCards cards taken whole
 */
public record Share(int units, int wholeCards) {
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
        if (units < 0 || wholeCards < 0) {
            throw new IllegalArgumentException("a share can't be negative");
        }
    }

    /** That many memory units. */
    public static Share memory(int units) {
        return units >= 0 && units < SMALL.length ? SMALL[units] : new Share(units, 0);
    }

    /** That many cards taken whole. */
    public static Share whole(int cards) {
        return cards == 1 ? WHOLE_CARD : new Share(0, cards);
    }

    public boolean isNone() {
        return units == 0 && wholeCards == 0;
    }

    /** The part that leaves the rest of its card to others: everything but whole cards. */
    public Share shared() {
        return wholeCards == 0 ? this : memory(units);
    }

    /** Whether all of this is contained in {@code free}. */
    public boolean fits(Share free) {
        return units <= free.units && wholeCards <= free.wholeCards;
    }

    /** The sum, at most {@link Integer#MAX_VALUE} of each kind: an annotation may contain any amount. */
    public Share plus(Share other) {
        return other.isNone() ? this : new Share(sum(units, other.units), sum(wholeCards, other.wholeCards));
    }

    /** The difference, at least 0 of each kind. */
    public Share minus(Share other) {
        return new Share(Math.max(0, units - other.units), Math.max(0, wholeCards - other.wholeCards));
    }

    /** Whether {@link #dividedBy} leaves no remainder. */
    public boolean divisibleBy(int cards) {
        return units % cards == 0;
    }

    /** The shared part on each of that many cards. */
    public Share dividedBy(int cards) {
        return memory(units / cards);
    }

    private static int sum(int one, int other) {
        return (int) Math.min(Integer.MAX_VALUE, (long) one + other);
    }
}
