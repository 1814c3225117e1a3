package io.gpushare.extender.policy.scoring;

import java.util.LinkedHashMap;
import java.util.Map;

/** How often each thing was seen; of a bounded number of things: when there are more, all counts halve and ones go. */
final class BoundedCounts<T> {
    private static final int MOST = 4096;

    private final Map<T, Double> counts = new LinkedHashMap<>();

    void add(T thing, double amount) {
        counts.merge(thing, amount, Double::sum);
        while (counts.size() > MOST) {
            counts.replaceAll((any, count) -> count / 2);
            counts.values().removeIf(count -> count < 1);
        }
    }

    Map<T, Double> counts() {
        return counts;
    }
}
