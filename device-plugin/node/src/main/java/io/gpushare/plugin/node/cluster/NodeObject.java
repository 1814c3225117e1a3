package io.gpushare.plugin.node.cluster;

import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.NodeState;
import java.util.Map;
import java.util.Optional;

/** This node at the API server: each read also gives what its status says of extended resources. */
public final class NodeObject implements NodePoller.NodeReader {
    private final KubernetesApi api;
    private final String name;
    private volatile Map<String, String> allocatable = Map.of();

    public NodeObject(KubernetesApi api, String name) {
        this.api = api;
        this.name = name;
    }

    @Override
    public Optional<NodeState> node() throws KubernetesException {
        // What can't be read is unknown.
        allocatable = Map.of();
        Optional<NodeState> now = api.nodes().read(name);
        now.ifPresent(state -> allocatable = state.devices());
        return now;
    }

    /** The extended resources at the last read; empty if that failed. */
    public Map<String, String> allocatable() {
        return allocatable;
    }
}
