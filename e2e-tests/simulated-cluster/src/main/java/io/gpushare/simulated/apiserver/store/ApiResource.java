package io.gpushare.simulated.apiserver.store;

import java.util.Optional;

/** A resource of the Kubernetes API that the server stores, with its names. */
public enum ApiResource {
    PODS("", "v1", "pods", "Pod", true, true),
    NODES("", "v1", "nodes", "Node", false, true),
    EVENTS("", "v1", "events", "Event", true, false),
    LEASES("coordination.k8s.io", "v1", "leases", "Lease", true, false),
    DISRUPTION_BUDGETS("policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", true, true);

    final String group;
    final String version;
    public final String plural;
    public final String kind;
    public final boolean namespaced;
    public final boolean hasStatus;

    ApiResource(String group, String version, String plural, String kind, boolean namespaced, boolean hasStatus) {
        this.group = group;
        this.version = version;
        this.plural = plural;
        this.kind = kind;
        this.namespaced = namespaced;
        this.hasStatus = hasStatus;
    }

    public static Optional<ApiResource> of(String group, String version, String plural) {
        for (ApiResource resource : values()) {
            if (resource.group.equals(group) && resource.version.equals(version) && resource.plural.equals(plural)) {
                return Optional.of(resource);
            }
        }
        return Optional.empty();
    }

    public static Optional<ApiResource> ofKind(String kind) {
        for (ApiResource resource : values()) {
            if (resource.kind.equals(kind)) {
                return Optional.of(resource);
            }
        }
        return Optional.empty();
    }

    public String apiVersion() {
        return group.isEmpty() ? version : group + "/" + version;
    }

    /** The name that error texts use, for example {@code leases.coordination.k8s.io}. */
    public String qualified() {
        return group.isEmpty() ? plural : plural + "." + group;
    }

    /** Whether the API server supports a field selector for this field. */
    boolean selectableBy(String field) {
        return switch (field) {
            case "metadata.name", "metadata.namespace" -> true;
            case "spec.nodeName", "spec.schedulerName", "spec.restartPolicy", "status.phase" -> this == PODS;
            case "spec.unschedulable" -> this == NODES;
            case "involvedObject.kind", "involvedObject.name", "involvedObject.uid", "reason", "type" -> this == EVENTS;
            default -> false;
        };
    }
}
