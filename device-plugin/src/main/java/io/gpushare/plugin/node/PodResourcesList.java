package io.gpushare.plugin.node;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * What pod-resources lists: for every pod on the node, by container, the IDs of our devices that it holds. A container
 * without any of them may be left out; a pod may not, since being listed means that the kubelet has begun to admit it.
 */
public record PodResourcesList(Map<PodName, Map<String, Set<String>>> pods) {
    /** No pod at all. */
    public static final PodResourcesList NOTHING = new PodResourcesList(Map.of());

    public PodResourcesList {
        Map<PodName, Map<String, Set<String>>> copy = new HashMap<>();
        pods.forEach((pod, containers) -> {
            Map<String, Set<String>> devices = new HashMap<>();
            containers.forEach((container, ids) -> devices.put(container, Set.copyOf(ids)));
            copy.put(pod, Map.copyOf(devices));
        });
        pods = Map.copyOf(copy);
    }

    PodResourcesList without(Set<PodName> some) {
        if (some.isEmpty()) {
            return this;
        }
        Map<PodName, Map<String, Set<String>>> others = new HashMap<>(pods);
        others.keySet().removeAll(some);
        return new PodResourcesList(others);
    }

    public boolean knows(PodName pod) {
        return pods.containsKey(pod);
    }

    /** The IDs that the container holds; empty when it holds none, or is not listed. */
    public Set<String> devices(PodName pod, String container) {
        return pods.getOrDefault(pod, Map.of()).getOrDefault(container, Set.of());
    }
}
