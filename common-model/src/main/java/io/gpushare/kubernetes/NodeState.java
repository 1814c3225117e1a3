package io.gpushare.kubernetes;

import io.gpushare.model.Compute;
import java.util.Map;

/**
 * A node as the API has it, reduced to what is used: its labels, and those of its annotations that are ours.
 *
 * @param allocatable what it has for pods beside its cards
 */
public record NodeState(String name, Map<String, String> annotations, Map<String, String> labels, Compute allocatable) {
    public NodeState {
        annotations = Map.copyOf(annotations);
        labels = Map.copyOf(labels);
    }
}
