package io.gpushare.model.node;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What pods may require of a node, apart from resources.
 *
 * @param taints its taints, with {@link Taint#UNSCHEDULABLE} if it is cordoned
 */
public record NodeFacts(String name, Map<String, String> labels, List<Taint> taints) {
    public NodeFacts {
        // Thousands of nodes share most values.
        labels = labels.entrySet().stream()
                .collect(Collectors.toUnmodifiableMap(
                        Map.Entry::getKey, label -> label.getValue().intern()));
        taints = List.copyOf(taints);
    }

    /** Its taints that pods rather avoid. */
    public List<Taint> softTaints() {
        return taints.stream().filter(Taint::soft).toList();
    }
}
