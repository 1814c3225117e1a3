package io.gpushare.model.node;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What pods may require of a node, apart from resources.
 *
 * @param taints its taints, with {@link Taint#UNSCHEDULABLE} if it is cordoned
 */
public record NodeFacts(String name, Map<String, String> labels, List<Taint> taints) {
    private static final String HOSTNAME = "kubernetes.io/hostname";

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

    /** Whether Kubernetes knows its kubelet to be healthy, or to be new. */
    public boolean ready() {
        return taints.stream().noneMatch(Taint::notReady);
    }

    /** What closes it to new pods for a while, unless they tolerate it; null if nothing does. */
    public @Nullable Taint shut() {
        return taints.stream()
                .filter(taint -> taint.excludes() && taint.passing())
                .findFirst()
                .orElse(null);
    }

    /** A new node of its kind: with another name, and without the taints that Kubernetes sets for a while. */
    public NodeFacts another() {
        Map<String, String> others = new HashMap<>(labels);
        others.computeIfPresent(HOSTNAME, (_, _) -> "");
        return new NodeFacts(
                "", others, taints.stream().filter(taint -> !taint.passing()).toList());
    }
}
