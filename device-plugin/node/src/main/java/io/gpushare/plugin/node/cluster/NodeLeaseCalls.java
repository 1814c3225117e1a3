package io.gpushare.plugin.node.cluster;

import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.Leases;
import io.gpushare.kubernetes.NodeState;
import io.gpushare.time.Machine;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The calls for one node's Lease, which has the node's name and is deleted with the node. */
public final class NodeLeaseCalls implements NodeLease.Calls {
    private static final Duration DEADLINE = Duration.ofSeconds(3);
    /** Shown in the Lease; the extender judges by its own clock. */
    private static final Duration LENGTH = Duration.ofSeconds(40);

    private final KubernetesApi api;
    private final Leases lease;
    private final String node;
    private final InstantSource shown = Machine.here()::now;
    private volatile Leases.@Nullable State last;

    /** @param namespace the namespace of the nodes' Leases */
    public NodeLeaseCalls(KubernetesApi api, String namespace, String node) {
        this.api = api;
        this.lease = api.lease(namespace, node, DEADLINE);
        this.node = node;
    }

    @Override
    public void renew() throws KubernetesException {
        Optional<Leases.State> renewed = lease.renew(node, LENGTH, shown.instant());
        if (renewed.isEmpty()) {
            Optional<NodeState> owner = api.nodes().read(node);
            if (owner.isPresent()) {
                lease.create(owner.get());
                renewed = lease.renew(node, LENGTH, shown.instant());
            }
        }
        last = renewed.orElse(null);
    }

    @Override
    public void release() throws KubernetesException {
        Leases.@Nullable State held = last;
        if (held != null) {
            lease.release(held);
        }
    }
}
