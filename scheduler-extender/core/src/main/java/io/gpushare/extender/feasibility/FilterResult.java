package io.gpushare.extender.feasibility;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The result of filter: which nodes of a request can take the pod, and why the others can't. Nodes are given by their
 * place in the request. Immutable; a {@link Draft} makes it.
 */
public final class FilterResult {
    private static final int FEASIBLE = -1;

    // By place, the index of the reason in the list.
    private final int[] reasonIndices;
    private final List<Reason> reasons;
    private final int passed;

    private FilterResult(int[] reasonIndices, List<Reason> reasons, int passed) {
        this.reasonIndices = reasonIndices;
        this.reasons = List.copyOf(reasons);
        this.passed = passed;
    }

    /** A result in the making, in which each step may refuse further nodes. Of one thread. */
    public static final class Draft {
        private final int[] reasonIndices;
        private final List<Reason> reasons = new ArrayList<>();
        private int passed;

        /** Nodes with these reasons by place; null for a node that can take the pod. */
        public Draft(int size, IntFunction<@Nullable Reason> of) {
            reasonIndices = new int[size];
            passed = size;
            Arrays.fill(reasonIndices, FEASIBLE);
            for (int place = 0; place < size; place++) {
                @Nullable Reason reason = of.apply(place);
                if (reason != null) {
                    set(place, reason);
                }
            }
        }

        /** The node at that place does not pass for that reason, or passes for null. */
        public void set(int place, @Nullable Reason reason) {
            passed -= passes(place) ? 1 : 0;
            reasonIndices[place] = reason == null ? FEASIBLE : indexOf(reason);
            passed += reason == null ? 1 : 0;
        }

        private int indexOf(Reason reason) {
            int index = reasons.indexOf(reason);
            if (index < 0) {
                reasons.add(reason);
                return reasons.size() - 1;
            }
            return index;
        }

        /** How many nodes pass. */
        public int passed() {
            return passed;
        }

        /** Whether the node at that place passes. */
        public boolean passes(int place) {
            return reasonIndices[place] == FEASIBLE;
        }

        /** The places of the nodes that pass. */
        public int[] passedPlaces() {
            return IntStream.range(0, reasonIndices.length).filter(this::passes).toArray();
        }

        /** Of the nodes that pass, only the one at that place is chosen. */
        public void choose(int chosen) {
            for (int place : passedPlaces()) {
                if (place != chosen) {
                    set(place, Reason.NOT_CHOSEN);
                }
            }
        }

        /** Whether no node could take the pod, even if it were empty. */
        public boolean hopeless() {
            return passed == 0
                    && result().reasons().stream()
                            .noneMatch(reason -> reason.resolvable() || reason.equals(Reason.NOT_RENEWED));
        }

        /** No node of the cluster could take the pod, even if it were empty. */
        public void needsScaleUp() {
            reasons.replaceAll(Reason::needsScaleUp);
        }

        /** The result, with the reasons that a node has. */
        public FilterResult result() {
            int[] renumbered = new int[reasons.size()];
            Arrays.fill(renumbered, FEASIBLE);
            List<Reason> present = new ArrayList<>();
            int[] indices = reasonIndices.clone();
            for (int place = 0; place < indices.length; place++) {
                if (!passes(place)) {
                    int before = reasonIndices[place];
                    if (renumbered[before] == FEASIBLE) {
                        renumbered[before] = present.size();
                        present.add(reasons.get(before));
                    }
                    indices[place] = renumbered[before];
                }
            }
            return new FilterResult(indices, present, passed);
        }
    }

    /** The result with a reason for each place; null for a node that can take the pod. */
    public static FilterResult of(int size, IntFunction<@Nullable Reason> reasons) {
        return new Draft(size, reasons).result();
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
        return reasons;
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

    /** The names of the nodes that passed, out of the names in the request. */
    public List<String> feasible(List<String> named) {
        return Arrays.stream(passedPlaces()).mapToObj(named::get).toList();
    }
}
