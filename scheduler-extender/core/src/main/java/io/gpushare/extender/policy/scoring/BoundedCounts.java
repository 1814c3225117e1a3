package io.gpushare.extender.policy.scoring;

import java.util.LinkedHashMap;
import java.util.Map;

/** Counts of a bounded number of things: if there are more, all counts are halved and those below 1 are dropped. */
final class BoundedCounts<T> {
    private static final int MAX_SIZE = 4096;

    private final Map<T, Double> counts = new LinkedHashMap<>();

    void add(T thing, double amount) {
        counts.merge(thing, amount, Double::sum);
        while (counts.size() > MAX_SIZE) {
            counts.replaceAll((any, count) -> count / 2);
            counts.values().removeIf(count -> count < 1);
        }
    }

    Map<T, Double> counts() {
        return counts;
    }
}
