package io.gpushare.simulated.apiserver.store;

import java.util.Optional;

/** A resource of the Kubernetes API that the server stores, with its names. */
public enum ApiResource {
    PODS("", "v1", "pods", "Pod", "po", true, true),
    NODES("", "v1", "nodes", "Node", "no", false, true),
    NAMESPACES("", "v1", "namespaces", "Namespace", "ns", false, true),
    EVENTS("", "v1", "events", "Event", "ev", true, false),
    RESOURCE_QUOTAS("", "v1", "resourcequotas", "ResourceQuota", "quota", true, true),
    DEPLOYMENTS("apps", "v1", "deployments", "Deployment", "deploy", true, true),
    LEASES("coordination.k8s.io", "v1", "leases", "Lease", "", true, false),
    DISRUPTION_BUDGETS("policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", "pdb", true, true),
    PRIORITY_CLASSES("scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", "pc", false, false),
    DEVICE_CLASSES("resource.k8s.io", "v1", "deviceclasses", "DeviceClass", "", false, false),
    RESOURCE_CLAIMS("resource.k8s.io", "v1", "resourceclaims", "ResourceClaim", "", true, true),
    CLAIM_TEMPLATES("resource.k8s.io", "v1", "resourceclaimtemplates", "ResourceClaimTemplate", "", true, false),
    RESOURCE_SLICES("resource.k8s.io", "v1", "resourceslices", "ResourceSlice", "", false, false),
    DEVICE_TAINT_RULES("resource.k8s.io", "v1beta2", "devicetaintrules", "DeviceTaintRule", "", false, true);

    final String group;
    final String version;
    public final String plural;
    public final String kind;
    public final String shortName;
    public final boolean namespaced;
    public final boolean hasStatus;

    ApiResource(
            String group,
            String version,
            String plural,
            String kind,
            String shortName,
            boolean namespaced,
            boolean hasStatus) {
        this.group = group;
        this.version = version;
        this.plural = plural;
        this.kind = kind;
        this.shortName = shortName;
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

    /** The path of its group and version, such as {@code /apis/apps/v1}. */
    public String path() {
        return group.isEmpty() ? "/api/" + version : "/apis/" + group + "/" + version;
    }

    /** The name that error texts use, for example {@code leases.coordination.k8s.io}. */
    public String qualified() {
        return group.isEmpty() ? plural : plural + "." + group;
    }

    /** Whether the API server supports a field selector for this field. */
    boolean selectableBy(String field) {
        return switch (field) {
            case "metadata.name", "metadata.namespace" -> true;
            case "spec.driver" -> this == RESOURCE_SLICES;
            case "spec.nodeName" -> this == PODS || this == RESOURCE_SLICES;
            case "spec.schedulerName", "spec.restartPolicy", "status.phase" -> this == PODS;
            case "spec.unschedulable" -> this == NODES;
            case "involvedObject.kind",
                    "involvedObject.name",
                    "involvedObject.namespace",
                    "involvedObject.uid",
                    "reason",
                    "type" -> this == EVENTS;
            default -> false;
        };
    }
}
