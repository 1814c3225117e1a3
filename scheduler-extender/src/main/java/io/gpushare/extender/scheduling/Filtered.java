package io.gpushare.extender.scheduling;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The answer of filter: nodes that can take the pod, in the order in which they were asked for, and why the others can't. */
public record Filtered(List<String> feasible, Map<String, Reason> failed) {
    public Filtered {
        feasible = List.copyOf(feasible);
        failed = Collections.unmodifiableMap(new LinkedHashMap<>(failed));
    }
}
