package io.gpushare.plugin.allocate.snapshot;

import io.gpushare.plugin.node.pod.PodName;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The list of pod-resources: for every pod on the node, by container, the IDs of our devices. A container without
 * devices may be missing. A pod may not be missing: a listed pod is one that the kubelet has begun to admit.
 */
public record PodResourcesList(Map<PodName, Map<String, Set<String>>> pods) {
    /** A list without pods. */
    public static final PodResourcesList EMPTY = new PodResourcesList(Map.of());

    public PodResourcesList {
        Map<PodName, Map<String, Set<String>>> copy = new HashMap<>();
        pods.forEach((pod, containers) -> {
            Map<String, Set<String>> devices = new HashMap<>();
            containers.forEach((container, ids) -> devices.put(container, Set.copyOf(ids)));
            copy.put(pod, Map.copyOf(devices));
        });
        pods = Map.copyOf(copy);
    }

    public boolean knows(PodName pod) {
        return pods.containsKey(pod);
    }

    /** The device IDs of the container; empty if it has none or is not listed. */
    public Set<String> devices(PodName pod, String container) {
        return pods.getOrDefault(pod, Map.of()).getOrDefault(container, Set.of());
    }
}
