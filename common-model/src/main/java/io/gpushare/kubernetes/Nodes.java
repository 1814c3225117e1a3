package io.gpushare.kubernetes;

import io.gpushare.kubernetes.wire.LeaseObject;
import io.gpushare.kubernetes.wire.ObjectList;
import io.gpushare.kubernetes.wire.ObjectReader;
import io.gpushare.kubernetes.wire.Responses;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoordinationV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import okhttp3.Call;
import org.jspecify.annotations.Nullable;

/** The nodes in the API: reads, watches and writes. */
public final class Nodes {
    private final ApiClient calls;
    private final Informer.Watches watches;
    private final CoreV1Api core;

    Nodes(ApiClient calls, Informer.Watches watches) {
        this.calls = calls;
        this.watches = watches;
        this.core = new CoreV1Api(calls);
    }

    /** Watches all nodes. */
    public Informer watch(Informer.Listener<NodeState> listener) {
        return Informer.start(
                watches,
                new Informer.Kind<>(
                        "nodes",
                        ObjectReader.NODES,
                        (params, page) -> new CoreV1Api(watches.client())
                                .listNode()
                                .limit(page.limit())
                                ._continue(page.next())
                                .resourceVersion(params.resourceVersion)
                                .timeoutSeconds(params.timeoutSeconds)
                                .allowWatchBookmarks(params.watch)
                                .watch(params.watch)
                                .buildCall(null),
                        true,
                        NodeState::of),
                listener,
                InstantSource.system());
    }

    /** The node of that name as it is now; empty if there is none. */
    public Optional<NodeState> read(String name) throws KubernetesException {
        try {
            Call call = core.readNode(name).buildCall(null);
            return Optional.of(NodeState.of(Responses.read(call, ObjectReader.NODES::object)));
        } catch (ApiException e) {
            if (e.getCode() == 404) {
                return Optional.empty();
            }
            throw KubernetesException.of("reading node " + name, e);
        }
    }

    /**
     * The version of each Lease in that namespace that has a holder, by node: the Lease has the name of its node, and a
     * renewal changes its version. Read from the API server a page at a time.
     */
    public Map<String, String> leases(String namespace) throws KubernetesException {
        Map<String, String> versions = new HashMap<>();
        @Nullable String next = null;
        do {
            ObjectList<LeaseObject> page = leases(namespace, next);
            page.getItems().stream()
                    .filter(LeaseObject::held)
                    .forEach(lease -> versions.put(lease.name(), lease.version()));
            next = page.next();
        } while (next != null);
        return versions;
    }

    private ObjectList<LeaseObject> leases(String namespace, @Nullable String next) throws KubernetesException {
        try {
            Call call = new CoordinationV1Api(calls)
                    .listNamespacedLease(namespace)
                    .limit(Informer.Page.FIRST.limit())
                    ._continue(next)
                    .buildCall(null);
            return Responses.read(call, ObjectReader.LEASES::list);
        } catch (ApiException e) {
            throw KubernetesException.of("listing the nodes' leases in namespace " + namespace, e);
        }
    }

    /** Sets these annotations on the node and leaves all others. */
    public void annotate(String node, Map<String, String> annotations) throws KubernetesException {
        new MetadataPatch()
                .annotations(annotations)
                .send(
                        "annotating node " + node,
                        calls,
                        patch -> core.patchNodeStatus(node, patch).buildCall(null));
    }

    /** Sets these labels on the node, removes those that are null, sets these annotations, and leaves all others. */
    public void label(String node, Map<String, @Nullable String> labels, Map<String, String> annotations)
            throws KubernetesException {
        new MetadataPatch()
                .annotations(annotations)
                .labels(labels)
                .send(
                        "labelling node " + node,
                        calls,
                        patch -> core.patchNodeStatus(node, patch).buildCall(null));
    }
}
