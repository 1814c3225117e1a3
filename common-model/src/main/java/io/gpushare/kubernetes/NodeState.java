package io.gpushare.kubernetes;

import io.gpushare.kubernetes.wire.NodeObject;
import io.gpushare.model.HostResources;
import io.gpushare.model.codec.HostResourcesCodec;
import io.gpushare.model.node.NodeFacts;
import io.gpushare.model.node.Taint;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A node in the API, reduced to the fields that the programs use.
 *
 * @param uid identifies the node among those that had its name
 * @param annotations those that the programs read
 * @param allocatable its cpu and memory for pods
 * @param devices quantities of the extended resources that its kubelet offers
 * @param address its InternalIP; null while it has none
 * @param taints its taints, with {@link Taint#UNSCHEDULABLE} if it is cordoned
 */
public record NodeState(
        String name,
        String uid,
        Map<String, String> annotations,
        Map<String, String> labels,
        HostResources allocatable,
        Map<String, String> devices,
        @Nullable String address,
        List<Taint> taints) {
    public NodeState {
        annotations = Map.copyOf(annotations);
        labels = Map.copyOf(labels);
        devices = Map.copyOf(devices);
        taints = List.copyOf(taints);
    }

    /** What pods may require of it, apart from resources. */
    public NodeFacts facts() {
        return new NodeFacts(name, labels, taints);
    }

    static NodeState of(NodeObject node) {
        Map<String, String> devices = node.allocatable().entrySet().stream()
                .filter(entry -> entry.getKey().contains("/") && entry.getValue() != null)
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
        return new NodeState(
                node.name(),
                node.uid(),
                node.annotations(),
                node.labels(),
                HostResourcesCodec.allocatable(node.allocatable()),
                devices,
                node.address(),
                node.taints());
    }
}
