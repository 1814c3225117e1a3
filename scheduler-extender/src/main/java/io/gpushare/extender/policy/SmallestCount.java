package io.gpushare.extender.policy;

import java.util.OptionalInt;

/** The smallest number that is enough, found by doubling and halving: more than enough is enough. */
public final class SmallestCount {
    private SmallestCount() {}

    /** Tests whether a number is enough. */
    public interface Enough<E extends Exception> {
        boolean test(int count) throws E;
    }

    /** The smallest number from 0 on; empty if even the largest power of two up to {@code most} is too small. */
    public static <E extends Exception> OptionalInt find(int most, Enough<E> test) throws E {
        int enough = 1;
        while (!test.test(enough)) {
            if (enough * 2 > most) {
                return OptionalInt.empty();
            }
            enough *= 2;
        }
        int tooFew = enough == 1 ? -1 : enough / 2;
        while (enough - tooFew > 1) {
            int middle = (enough + tooFew) / 2;
            if (test.test(middle)) {
                enough = middle;
            } else {
                tooFew = middle;
            }
        }
        return OptionalInt.of(enough);
    }
}
