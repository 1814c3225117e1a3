package io.gpushare.extender.view;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.gpushare.extender.feasibility.Reason;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** A reason that keeps that many nodes from taking a pod. */
public record ReasonCount(@JsonUnwrapped Reason reason, int nodes) {
    /** The reasons, the most common first. */
    static List<ReasonCount> of(Map<Reason, Integer> reasons) {
        return reasons.entrySet().stream()
                .map(each -> new ReasonCount(each.getKey(), each.getValue()))
                .sorted(Comparator.comparingInt(ReasonCount::nodes)
                        .reversed()
                        .thenComparing(each -> each.reason().label()))
                .toList();
    }
}
