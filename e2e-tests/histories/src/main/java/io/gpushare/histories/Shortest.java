package io.gpushare.histories;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Finds a plan with fewer events in which something is still violated: first half of them go, then single ones. */
public final class Shortest {
    private final Predicate<Plan> violated;
    private int tries;

    /**
     * Makes a search.
     *
     * @param violated whether something is violated in the history of a plan
     * @param tries the most histories that it runs
     */
    public Shortest(Predicate<Plan> violated, int tries) {
        this.violated = violated;
        this.tries = tries;
    }

    /** The plan, as short as it became. */
    public Plan of(Plan plan) {
        Plan shortest = plan;
        for (int size = plan.events().size() / 2; size >= 1; size /= 2) {
            shortest = without(shortest, size);
        }
        return shortest;
    }

    /** Leaves out each group of so many events without which something is still violated. */
    private Plan without(Plan plan, int size) {
        Plan left = plan;
        int from = 0;
        while (from < left.events().size() && tries > 0) {
            List<Plan.Event> fewer = new ArrayList<>(left.events());
            fewer.subList(from, Math.min(from + size, fewer.size())).clear();
            Plan shorter = left.only(fewer);
            tries--;
            if (violated.test(shorter)) {
                left = shorter;
            } else {
                from += size;
            }
        }
        return left;
    }
}
