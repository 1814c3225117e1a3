package io.gpushare.extender.feasibility;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The result of filter: which nodes of a request can take the pod, and why the others can't. Nodes are given by their
 * place in the request. Immutable: a step that refuses further nodes makes another one.
 */
public final class FilterResult {
    private final List<String> names;
    // By place; null for a node that can take the pod.
    private final @Nullable Reason[] reasons;
    private final int passed;

    private FilterResult(List<String> names, @Nullable Reason[] reasons) {
        this.names = names;
        this.reasons = reasons;
        this.passed =
                (int) IntStream.range(0, reasons.length).filter(this::passes).count();
    }

    /** The result with a reason for each place; null for a node that can take the pod. */
    public static FilterResult of(List<String> names, IntFunction<@Nullable Reason> reasons) {
        @Nullable Reason[] byPlace = new @Nullable Reason[names.size()];
        for (int place = 0; place < byPlace.length; place++) {
            byPlace[place] = reasons.apply(place);
        }
        return new FilterResult(List.copyOf(names), byPlace);
    }

    /** The same, except that the nodes with such names do not pass for that reason. */
    public FilterResult refusing(Predicate<String> which, Reason why) {
        return of(names, place -> passes(place) && which.test(names.get(place)) ? why : why(place));
    }

    /** The same, where only the node at that place is chosen of those that pass. */
    public FilterResult choosing(int chosen) {
        return of(names, place -> passes(place) && place != chosen ? Reason.NOT_CHOSEN : why(place));
    }

    /** Whether no node could take the pod, even if it were empty. */
    public boolean hopeless() {
        return passed == 0
                && counts().keySet().stream()
                        .noneMatch(reason -> reason.resolvable() || reason.equals(Reason.NOT_RENEWED));
    }

    /** The same where no node of the cluster could take the pod, even if it were empty. */
    public FilterResult needingScaleUp() {
        Map<Reason, Reason> changed = new HashMap<>();
        UnaryOperator<Reason> change = reason -> changed.computeIfAbsent(reason, Reason::needsScaleUp);
        return of(names, place -> {
            @Nullable Reason why = why(place);
            return why == null ? null : change.apply(why);
        });
    }

    /** How many nodes the request names. */
    public int size() {
        return reasons.length;
    }

    /** The name of the node at that place of the request. */
    public String name(int place) {
        return names.get(place);
    }

    /** How many nodes can take the pod and, where one was chosen, are chosen. */
    public int passed() {
        return passed;
    }

    /** Whether the node at that place is one of those that {@link #passed}. */
    public boolean passes(int place) {
        return reasons[place] == null;
    }

    /** The places of the nodes that {@link #passed}. */
    public int[] passedPlaces() {
        return IntStream.range(0, size()).filter(this::passes).toArray();
    }

    /** Why the node at that place did not pass; null if it did. */
    public @Nullable Reason why(int place) {
        return reasons[place];
    }

    /** How many nodes did not pass, by reason. */
    public Map<Reason, Integer> counts() {
        Map<Reason, Integer> counts = new HashMap<>();
        for (Reason reason : reasons) {
            if (reason != null) {
                counts.merge(reason, 1, Integer::sum);
            }
        }
        return counts;
    }

    /** The names of the nodes that passed. */
    public List<String> feasible() {
        return IntStream.of(passedPlaces()).mapToObj(names::get).toList();
    }
}
