package io.gpushare.extender.feasibility;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The result of filter: which nodes of a request can take the pod, and why the others can't. Nodes are given by their
 * place in the request. Immutable.
 */
public final class FilterResult {
    private static final int FEASIBLE = -1;

    // By place, the index of the reason in the list.
    private final int[] reasonIndices;
    private final List<Reason> reasons = new ArrayList<>();
    private final int passed;

    private FilterResult(int size, IntFunction<@Nullable Reason> of) {
        reasonIndices = new int[size];
        int feasible = 0;
        for (int place = 0; place < size; place++) {
            @Nullable Reason reason = of.apply(place);
            if (reason == null) {
                reasonIndices[place] = FEASIBLE;
                feasible++;
            } else {
                reasonIndices[place] = indexOf(reason);
            }
        }
        passed = feasible;
    }

    private int indexOf(Reason reason) {
        int index = reasons.indexOf(reason);
        if (index < 0) {
            reasons.add(reason);
            return reasons.size() - 1;
        }
        return index;
    }

    /** The result with a reason for each place; null for a node that can take the pod. */
    public static FilterResult of(int size, IntFunction<@Nullable Reason> reasons) {
        return new FilterResult(size, reasons);
    }

    /** The result with these reasons by place; null for a node that can take the pod. */
    public static FilterResult of(@Nullable Reason[] reasons) {
        return new FilterResult(reasons.length, place -> reasons[place]);
    }

    /** The same result, except that of the feasible nodes only the one at that place is chosen. */
    public FilterResult only(int chosen) {
        return new FilterResult(size(), place -> {
            @Nullable Reason reason = why(place);
            return reason == null && place != chosen ? Reason.NOT_CHOSEN : reason;
        });
    }

    /** How many nodes the request names. */
    public int size() {
        return reasonIndices.length;
    }

    /** How many nodes can take the pod and, where one was chosen, are chosen. */
    public int passed() {
        return passed;
    }

    /** The places of the nodes that {@link #passed}. */
    public int[] passedPlaces() {
        return IntStream.range(0, size()).filter(this::feasible).toArray();
    }

    private boolean feasible(int place) {
        return reasonIndices[place] == FEASIBLE;
    }

    /** The first place from there on with a node that {@link #passed}; {@link #size} if there is none. */
    public int nextFeasible(int from) {
        int place = from;
        while (place < size() && !feasible(place)) {
            place++;
        }
        return place;
    }

    /** The first place from there on with a node that did not pass; {@link #size} if there is none. */
    public int nextRefused(int from) {
        int place = from;
        while (place < size() && feasible(place)) {
            place++;
        }
        return place;
    }

    /** The distinct reasons of the nodes that did not pass. */
    public List<Reason> reasons() {
        return Collections.unmodifiableList(reasons);
    }

    /** The index in {@link #reasons} of the reason at that place; below 0 for a node that passed. */
    public int reasonIndex(int place) {
        return reasonIndices[place];
    }

    /** How many nodes have the reason with that index. */
    public int count(int reasonIndex) {
        return (int) Arrays.stream(reasonIndices)
                .filter(index -> index == reasonIndex)
                .count();
    }

    /** Why the node at that place did not pass; null if it did. */
    public @Nullable Reason why(int place) {
        return feasible(place) ? null : reasons.get(reasonIndices[place]);
    }

    /** The reasons by place. */
    @Nullable
    public Reason[] whys() {
        return IntStream.range(0, size()).mapToObj(this::why).toArray(Reason[]::new);
    }

    /** The names of the nodes that passed, out of the names in the request. */
    public List<String> feasible(List<String> named) {
        return Arrays.stream(passedPlaces()).mapToObj(named::get).toList();
    }
}
