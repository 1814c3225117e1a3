package io.gpushare.kubernetes;

import static io.gpushare.kubernetes.ApiServer.path;

import io.gpushare.kubernetes.ApiServer.Request;
import io.gpushare.kubernetes.wire.Json;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The nodes in the API: reads, watches and writes. */
public final class Nodes {
    private static final int PAGE = 500;
    private static final String ALL = "/api/v1/nodes";

    private final ApiServer calls;
    private final ApiServer watches;

    Nodes(ApiServer calls, ApiServer watches) {
        this.calls = calls;
        this.watches = watches;
    }

    /** Watches all nodes. */
    public Informer watch(Informer.Listener<NodeState> listener) {
        return Informer.start(
                watches, new Informer.Kind<>("nodes", ALL, "", true, NodeState::of, NodeState::identity), listener);
    }

    /** The node of that name as it is now; empty if there is none. */
    public Optional<NodeState> read(String name) throws KubernetesException {
        return calls.find(Request.get("reading node " + name, path(ALL, name))).map(NodeState::of);
    }

    /**
     * The version of each Lease in that namespace that has a holder, by node: the Lease has the name of its node, and a
     * renewal changes its version. Read from the API server a page at a time.
     */
    public Map<String, String> leases(String namespace) throws KubernetesException {
        Map<String, String> versions = new HashMap<>();
        calls.list(
                Request.get("listing the nodes' leases in namespace " + namespace, Leases.path(namespace))
                        .with("limit", PAGE),
                lease -> {
                    if (!Json.text(lease.path("spec"), "holderIdentity").isEmpty()) {
                        versions.put(
                                Json.text(lease.path("metadata"), "name"),
                                Json.text(lease.path("metadata"), "resourceVersion"));
                    }
                });
        return versions;
    }

    /** Sets these annotations on the node, removes those that are null, and leaves all others. */
    public void annotate(String node, Map<String, @Nullable String> annotations) throws KubernetesException {
        patch("annotating node ", node, Map.of("annotations", annotations));
    }

    /** Sets these labels on the node, removes those that are null, sets these annotations, and leaves all others. */
    public void label(String node, Map<String, @Nullable String> labels, Map<String, String> annotations)
            throws KubernetesException {
        patch("labelling node ", node, Map.of("labels", labels, "annotations", annotations));
    }

    /** Through the subresource, whose permission can't change what runs: it takes metadata and keeps the spec. */
    private void patch(String doing, String node, Map<String, ?> metadata) throws KubernetesException {
        calls.send(Request.patch(doing + node, path(ALL, node, "status"), Map.of("metadata", metadata)));
    }
}
