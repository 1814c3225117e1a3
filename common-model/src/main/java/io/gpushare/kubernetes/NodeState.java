package io.gpushare.kubernetes;

import java.util.Map;

/** A node as the API has it, reduced to what is used: its labels, and those of its annotations that are ours. */
public record NodeState(String name, Map<String, String> annotations, Map<String, String> labels) {
    public NodeState {
        annotations = Map.copyOf(annotations);
        labels = Map.copyOf(labels);
    }
}
