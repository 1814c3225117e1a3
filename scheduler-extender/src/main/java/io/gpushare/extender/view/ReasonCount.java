package io.gpushare.extender.view;

import io.gpushare.extender.feasibility.Reason;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * A reason that keeps nodes from taking a pod.
 *
 * @param reason its label
 * @param nodes the number of nodes
 */
public record ReasonCount(String reason, String sentence, int nodes) {
    /** The reasons, the most common first. */
    static List<ReasonCount> of(Map<Reason, Integer> reasons) {
        return reasons.entrySet().stream()
                .map(each ->
                        new ReasonCount(each.getKey().label(), each.getKey().sentence(), each.getValue()))
                .sorted(Comparator.comparingInt(ReasonCount::nodes).reversed().thenComparing(ReasonCount::reason))
                .toList();
    }
}
