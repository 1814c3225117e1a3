package io.gpushare.extender.ledger;

import io.gpushare.extender.feasibility.Reason;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The answer of filter: which of the nodes that were asked for can't take the pod, and why, and which one of the others was
 * chosen, if one was. Made for thousands of nodes a request: without their names, and only of those that are refused.
 */
public final class FilterResult {
    private static final int NOBODY = -1;

    private final int size;
    private final int[] places;
    private final int[] which;
    private final List<Reason> reasons;
    private int[] counts;
    private final int chosen;

    /**
     * Those at these places are refused.
     *
     * @param size how many were asked for
     * @param places of the refused ones among them, ascending
     * @param why of the one at that place
     */
    FilterResult(int size, int[] places, IntFunction<Reason> why) {
        this.size = size;
        this.places = places;
        reasons = new ArrayList<>();
        counts = new int[1];
        chosen = NOBODY;
        which = new int[places.length];
        for (int i = 0; i < places.length; i++) {
            which[i] = counted(why.apply(places[i]));
        }
    }

    private FilterResult(FilterResult of, int chosen) {
        size = of.size;
        places = of.places;
        which = of.which;
        reasons = of.reasons;
        counts = of.counts;
        this.chosen = chosen;
    }

    private int counted(Reason why) {
        int reason = reasons.indexOf(why);
        if (reason < 0) {
            reason = reasons.size();
            reasons.add(why);
            counts = Arrays.copyOf(counts, reasons.size());
        }
        counts[reason]++;
        return reason;
    }

    /**
     * Of nodes one by one.
     *
     * @param why by the nodes' places; null for one that can take the pod
     */
    public static FilterResult of(@Nullable Reason[] why) {
        int[] places = new int[why.length];
        int refused = 0;
        for (int i = 0; i < why.length; i++) {
            if (why[i] != null) {
                places[refused++] = i;
            }
        }
        return new FilterResult(why.length, Arrays.copyOf(places, refused), place -> why[place]);
    }

    /** The same, but that of those that can take the pod only the one at that place is to. */
    public FilterResult only(int place) {
        return new FilterResult(this, place);
    }

    /** How many nodes were asked for. */
    public int size() {
        return size;
    }

    /** How many of them are to be considered: those that can take the pod, or the one of them that was chosen. */
    public int passed() {
        return chosen == NOBODY ? size - places.length : 1;
    }

    /** The place of the one that was chosen; below 0 where none was. */
    public int chosen() {
        return chosen;
    }

    /** How many could take the pod, but another was chosen. */
    public int notChosen() {
        return size - places.length - passed();
    }

    /** How many of them can't take the pod. */
    public int refused() {
        return places.length;
    }

    /** The place among those that were asked for of the one that is refused as the i-th, from 0. */
    public int place(int i) {
        return places[i];
    }

    /** How many runs there are of nodes that passed, one behind the other; some are empty. */
    public int runs() {
        return chosen == NOBODY ? places.length + 1 : 1;
    }

    /** The first place of that run. */
    public int from(int run) {
        return chosen != NOBODY ? chosen : run == 0 ? 0 : places[run - 1] + 1;
    }

    /** The place behind that run's last: {@link #from} where there is none. */
    public int to(int run) {
        return chosen != NOBODY ? chosen + 1 : run == places.length ? size : places[run];
    }

    /** The places of those that passed. */
    public int[] passedPlaces() {
        int[] passed = new int[passed()];
        int next = 0;
        for (int run = 0; run < runs(); run++) {
            for (int place = from(run); place < to(run); place++) {
                passed[next++] = place;
            }
        }
        return passed;
    }

    /** Which of the {@link #reasons} the one has that is refused as the i-th, from 0. */
    public int reason(int i) {
        return which[i];
    }

    /** Why nodes are refused, each reason once. */
    public List<Reason> reasons() {
        return Collections.unmodifiableList(reasons);
    }

    /** How many nodes have that one of the {@link #reasons}. */
    public int count(int reason) {
        return counts[reason];
    }

    /** Why the node at that place is not to take the pod; null if it may. */
    public @Nullable Reason why(int place) {
        int refused = Arrays.binarySearch(places, place);
        return refused >= 0
                ? reasons.get(which[refused])
                : chosen == NOBODY || place == chosen ? null : Reason.NOT_CHOSEN;
    }

    /** By the nodes' places. */
    @Nullable
    public Reason[] whys() {
        @Nullable Reason[] why = new @Nullable Reason[size];
        if (chosen != NOBODY) {
            Arrays.fill(why, Reason.NOT_CHOSEN);
            why[chosen] = null;
        }
        for (int i = 0; i < places.length; i++) {
            why[places[i]] = reasons.get(which[i]);
        }
        return why;
    }

    /** Those that passed, of the nodes that were asked for, in that order. */
    public List<String> feasible(List<String> asked) {
        @Nullable Reason[] why = whys();
        List<String> feasible = new ArrayList<>();
        for (int i = 0; i < why.length; i++) {
            if (why[i] == null) {
                feasible.add(asked.get(i));
            }
        }
        return feasible;
    }
}
