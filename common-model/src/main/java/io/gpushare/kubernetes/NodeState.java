package io.gpushare.kubernetes;

import io.gpushare.model.HostResources;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A node as the API has it, reduced to what is used: its labels, and those of its annotations that are ours.
 *
 * @param allocatable what it has for pods beside its cards
 * @param devices quantities of the extended resources that its kubelet offers
 * @param address its InternalIP; null while it has told none
 */
public record NodeState(
        String name,
        Map<String, String> annotations,
        Map<String, String> labels,
        HostResources allocatable,
        Map<String, String> devices,
        @Nullable String address) {
    public NodeState {
        annotations = Map.copyOf(annotations);
        labels = Map.copyOf(labels);
        devices = Map.copyOf(devices);
    }
}
