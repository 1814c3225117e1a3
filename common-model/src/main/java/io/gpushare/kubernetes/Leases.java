package io.gpushare.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.kubernetes.ApiServer.Request;
import io.gpushare.kubernetes.wire.Json;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads and writes one Lease of coordination.k8s.io/v1. Of two writes to the same version only one succeeds. */
public final class Leases {
    // The API server parses a MicroTime with exactly six digits (apimachinery: RFC3339Micro).
    private static final DateTimeFormatter MICRO =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);
    private static final String GROUP = "coordination.k8s.io/v1";

    /**
     * A Lease in the API, reduced to the fields that the programs use.
     *
     * @param version the object's resourceVersion: it changes with every write, so an unchanged one means no renewal
     * @param holder the identity of its holder; empty if it was released or never held
     * @param seconds how long after its last renewal no other holder may acquire it; 0 if it is not set
     * @param transitions the number of changes of holder
     */
    public record State(String version, String holder, int seconds, int transitions) {

        private static State of(JsonNode lease) {
            JsonNode spec = lease.path("spec");
            return new State(
                    Json.text(lease.path("metadata"), "resourceVersion"),
                    Json.text(spec, "holderIdentity"),
                    spec.path("leaseDurationSeconds").asInt(),
                    spec.path("leaseTransitions").asInt());
        }
    }

    private final ApiServer server;
    private final String namespace;
    private final String name;
    private final Duration deadline;

    Leases(ApiServer server, String namespace, String name, Duration deadline) {
        this.server = server;
        this.namespace = namespace;
        this.name = name;
        this.deadline = deadline;
    }

    static String path(String namespace, String... name) {
        return ApiServer.path("/apis/" + GROUP, "namespaces", namespace, "leases") + ApiServer.path("", name);
    }

    /** The Lease as it is now; empty if there is none. */
    public Optional<State> read() throws KubernetesException {
        return server.find(Request.get("reading " + this, path(namespace, name)).within(deadline))
                .map(State::of);
    }

    /** Creates it without a holder. It fails with 409 if it exists. */
    public void create() throws KubernetesException {
        create(List.of());
    }

    /** Creates it without a holder; Kubernetes deletes it together with the node. It fails with 409 if it exists. */
    public void create(NodeState owner) throws KubernetesException {
        create(List.of(Map.of("apiVersion", "v1", "kind", "Node", "name", owner.name(), "uid", owner.uid())));
    }

    private void create(List<Map<String, String>> owners) throws KubernetesException {
        Map<String, Object> lease = Map.of(
                "apiVersion",
                GROUP,
                "kind",
                "Lease",
                "metadata",
                Map.of("name", name, "namespace", namespace, "ownerReferences", owners));
        server.send(Request.post("creating " + this, path(namespace), lease).within(deadline));
    }

    /** Acquires or renews it. It fails with 409 if it has changed since {@code before}. */
    public State hold(State before, String holder, Duration length, Instant now) throws KubernetesException {
        Map<String, @Nullable Object> spec = held(holder, length, now);
        if (!before.holder().equals(holder)) {
            spec.put("acquireTime", MICRO.format(now));
            spec.put("leaseTransitions", before.transitions() + 1);
        }
        return write(before.version(), spec);
    }

    /** Renews it for that holder, whoever held it before; empty if there is none. */
    public Optional<State> renew(String holder, Duration length, Instant now) throws KubernetesException {
        return server.find(patch(Map.of("spec", held(holder, length, now)))).map(State::of);
    }

    private static Map<String, @Nullable Object> held(String holder, Duration length, Instant now) {
        return new HashMap<>(Map.of(
                "holderIdentity", holder, "leaseDurationSeconds", length.toSeconds(), "renewTime", MICRO.format(now)));
    }

    /** Releases it, so that another holder can acquire it at once. */
    public void release(State before) throws KubernetesException {
        Map<String, @Nullable Object> spec = new HashMap<>();
        spec.put("holderIdentity", null);
        write(before.version(), spec);
    }

    private State write(String version, Map<String, @Nullable Object> spec) throws KubernetesException {
        return State.of(server.send(patch(Map.of("metadata", Map.of("resourceVersion", version), "spec", spec))));
    }

    private Request patch(Map<String, ?> document) {
        return Request.patch("writing " + this, path(namespace, name), document).within(deadline);
    }

    @Override
    public String toString() {
        return "lease " + namespace + "/" + name;
    }
}
