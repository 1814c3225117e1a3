package io.gpushare.simulation.planning;

import java.util.OptionalInt;
import java.util.function.IntPredicate;

/** The smallest number that is enough, found by doubling steps and halving: more than enough is enough. */
final class SmallestCount {
    private SmallestCount() {}

    /** The smallest number between these, both included; empty if even the largest is too small. */
    static OptionalInt find(int least, int most, IntPredicate enough) {
        int tooFew = least - 1;
        int next = least;
        for (int step = 1; !enough.test(next); step *= 2) {
            if (next >= most) {
                return OptionalInt.empty();
            }
            tooFew = next;
            next = Math.min(most, next + step);
        }
        while (next - tooFew > 1) {
            int middle = (next + tooFew) >>> 1;
            if (enough.test(middle)) {
                next = middle;
            } else {
                tooFew = middle;
            }
        }
        return OptionalInt.of(next);
    }
}
