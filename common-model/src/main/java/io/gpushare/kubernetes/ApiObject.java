package io.gpushare.kubernetes;

import io.gpushare.model.ContainerRole;
import io.gpushare.model.PodRef;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.model.codec.ContainerResources;
import io.gpushare.model.codec.HostResourcesCodec;
import io.kubernetes.client.common.KubernetesListObject;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ListMeta;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Pods and nodes as JSON brings them, with the few fields that are used. The library's own models would hold everything
 * (50,000 pods need 5 GiB to read and 0.5 GiB to keep), and they refuse a server that is newer than they are.
 */
abstract class ApiObject implements KubernetesObject {
    @Nullable
    String apiVersion;

    @Nullable
    String kind;

    @Nullable
    V1ObjectMeta metadata;

    @Override
    public @Nullable String getApiVersion() {
        return apiVersion;
    }

    @Override
    public @Nullable String getKind() {
        return kind;
    }

    @Override
    public @Nullable V1ObjectMeta getMetadata() {
        return metadata;
    }

    // The informer sets what a list leaves out of its items, and warns of types that have no such method.
    public void setApiVersion(String version) {
        apiVersion = version;
    }

    public void setKind(String name) {
        kind = name;
    }

    V1ObjectMeta meta() {
        return Objects.requireNonNull(metadata, "an API object without metadata");
    }

    /**
     * Drops what is not used, and keeps once what many objects have in common, so that a cache of these stays small: it
     * is most of the extender's memory.
     */
    void strip() {
        V1ObjectMeta meta = metadata;
        if (meta != null) {
            meta.setAnnotations(Map.copyOf(read(meta.getAnnotations())));
            meta.setNamespace(once(meta.getNamespace()));
            meta.setGenerateName(null);
            meta.setSelfLink(null);
            meta.setManagedFields(null);
            meta.setOwnerReferences(null);
            meta.setFinalizers(null);
        }
    }

    /** The same text, as one object for all that have it; for names and amounts of which there are few. */
    static @Nullable String once(@Nullable String text) {
        return text == null ? null : text.intern();
    }

    static Map<String, String> read(@Nullable Map<String, String> annotations) {
        Map<String, String> kept = new HashMap<>();
        if (annotations != null) {
            annotations.forEach((key, value) -> {
                if (AnnotationKeys.read(key) && value != null) {
                    kept.put(key.intern(), value);
                }
            });
        }
        return kept;
    }

    static final class Pod extends ApiObject {
        // The only condition that is used, once for all pods that have it.
        private static final List<Condition> REFUSED = List.of(Condition.ofRefused());

        @Nullable
        Spec spec;

        @Nullable
        Status status;

        // Of a device plugin: taken from what is not kept.
        @Nullable
        transient String metrics;

        static final class Spec {
            @Nullable
            String nodeName;

            int priority;

            @Nullable
            List<Container> containers;

            @Nullable
            List<Container> initContainers;
        }

        static final class Container {
            @Nullable
            String name;

            @Nullable
            String restartPolicy;

            @Nullable
            Resources resources;
        }

        static final class Resources {
            @Nullable
            Map<String, String> limits;

            @Nullable
            Map<String, String> requests;

            void strip() {
                limits = once(limits);
                requests = once(requests);
            }

            private static @Nullable Map<String, String> once(@Nullable Map<String, String> quantities) {
                if (quantities == null) {
                    return null;
                }
                Map<String, String> kept = new HashMap<>();
                quantities.forEach((name, quantity) -> {
                    if (quantity != null) {
                        kept.put(name.intern(), quantity.intern());
                    }
                });
                return Map.copyOf(kept);
            }
        }

        static final class Status {
            @Nullable
            String phase;

            @Nullable
            String podIP;

            @Nullable
            List<Condition> conditions;

            @Nullable
            List<Started> initContainerStatuses;

            @Nullable
            List<Started> containerStatuses;
        }

        static final class Started {
            @Nullable
            String name;

            @Nullable
            String containerID;
        }

        static final class Condition {
            @Nullable
            String type;

            @Nullable
            String status;

            @Nullable
            String reason;

            static Condition ofRefused() {
                Condition condition = new Condition();
                condition.type = "PodScheduled";
                condition.status = "False";
                condition.reason = "Unschedulable";
                return condition;
            }

            boolean refused() {
                return "PodScheduled".equals(type) && "False".equals(status) && "Unschedulable".equals(reason);
            }
        }

        @Override
        void strip() {
            if (metrics == null) {
                metrics = pluginMetrics();
            }
            super.strip();
            if (metadata != null) {
                metadata.setLabels(null);
            }
            if (status != null) {
                status.phase = once(status.phase);
                status.conditions = refused() ? REFUSED : null;
                status.podIP = null;
            }
            if (spec != null) {
                spec.nodeName = once(spec.nodeName);
                strip(spec.containers);
                strip(spec.initContainers);
            }
        }

        private static void strip(@Nullable List<Container> containers) {
            for (Container container : containers == null ? List.<Container>of() : containers) {
                container.name = once(container.name);
                container.restartPolicy = once(container.restartPolicy);
                if (container.resources != null) {
                    container.resources.strip();
                }
            }
        }

        /** Where a device plugin's pod serves its metrics: known by the labels and the annotation of our manifest. */
        private @Nullable String pluginMetrics() {
            if (metadata == null || metadata.getLabels() == null || status == null || status.podIP == null) {
                return null;
            }
            Map<String, String> annotations = metadata.getAnnotations() == null ? Map.of() : metadata.getAnnotations();
            String port = annotations.getOrDefault("prometheus.io/port", "");
            boolean plugin = "gpushare".equals(metadata.getLabels().get("app"))
                    && "gpushare-device-plugin".equals(metadata.getLabels().get("component"));
            if (!plugin || !port.matches("[0-9]{1,5}")) {
                return null;
            }
            return (status.podIP.contains(":") ? "[" + status.podIP + "]" : status.podIP) + ":" + port;
        }

        private boolean refused() {
            return status != null
                    && status.conditions != null
                    && status.conditions.stream().anyMatch(Condition::refused);
        }

        /** Drops what only the pod's own node needs. */
        void forgetContainers() {
            if (status != null) {
                status.initContainerStatuses = null;
                status.containerStatuses = null;
            }
        }

        private Map<String, String> started() {
            Map<String, String> names = new HashMap<>();
            if (status != null) {
                put(status.initContainerStatuses, names);
                put(status.containerStatuses, names);
            }
            return names;
        }

        private static void put(@Nullable List<Started> statuses, Map<String, String> names) {
            for (Started each : statuses == null ? List.<Started>of() : statuses) {
                // containerd://<id>, cri-o://<id>, docker://<id>; nothing before the container has started.
                if (each.name != null && each.containerID != null && !each.containerID.isEmpty()) {
                    names.put(each.containerID.replaceFirst("^[^/]*//", ""), each.name);
                }
            }
        }

        PodState state() {
            V1ObjectMeta meta = meta();
            OffsetDateTime created = meta.getCreationTimestamp();
            String phase = status == null ? null : status.phase;
            return new PodState(
                    new PodRef(text(meta.getUid()), text(meta.getNamespace()), text(meta.getName())),
                    spec == null || spec.nodeName == null || spec.nodeName.isEmpty() ? null : spec.nodeName,
                    "Succeeded".equals(phase) || "Failed".equals(phase),
                    meta.getDeletionTimestamp() != null,
                    created == null ? Instant.EPOCH : created.toInstant(),
                    spec == null ? 0 : spec.priority,
                    refused(),
                    read(meta.getAnnotations()),
                    containers(),
                    started(),
                    metrics);
        }

        private List<ContainerResources> containers() {
            List<ContainerResources> resources = new ArrayList<>();
            if (spec != null) {
                for (Container init : spec.initContainers == null ? List.<Container>of() : spec.initContainers) {
                    boolean sidecar = "Always".equals(init.restartPolicy);
                    resources.add(resources(init, sidecar ? ContainerRole.SIDECAR : ContainerRole.INIT));
                }
                for (Container app : spec.containers == null ? List.<Container>of() : spec.containers) {
                    resources.add(resources(app, ContainerRole.APP));
                }
            }
            return resources;
        }

        private static ContainerResources resources(Container container, ContainerRole role) {
            Map<String, String> quantities = new HashMap<>();
            if (container.resources != null) {
                put(container.resources.limits, quantities);
                put(container.resources.requests, quantities);
            }
            return new ContainerResources(text(container.name), role, quantities);
        }

        private static void put(@Nullable Map<String, String> from, Map<String, String> into) {
            if (from != null) {
                from.forEach((name, quantity) -> {
                    if (quantity != null) {
                        into.put(name, quantity);
                    }
                });
            }
        }
    }

    static final class Node extends ApiObject {
        @Nullable
        NodeStatus status;

        static final class NodeStatus {
            @Nullable
            Map<String, String> allocatable;

            @Nullable
            List<Address> addresses;
        }

        static final class Address {
            @Nullable
            String type;

            @Nullable
            String address;
        }

        NodeState state() {
            Map<String, String> labels = meta().getLabels();
            Map<String, String> allocatable = status == null ? null : status.allocatable;
            return new NodeState(
                    text(meta().getName()),
                    read(meta().getAnnotations()),
                    labels == null ? Map.of() : labels,
                    HostResourcesCodec.allocatable(allocatable == null ? Map.of() : allocatable),
                    devices(allocatable == null ? Map.of() : allocatable),
                    address());
        }

        private @Nullable String address() {
            if (status != null && status.addresses != null) {
                for (Address each : status.addresses) {
                    if ("InternalIP".equals(each.type)) {
                        return each.address;
                    }
                }
            }
            return null;
        }

        private static Map<String, String> devices(Map<String, String> allocatable) {
            Map<String, String> devices = new HashMap<>();
            allocatable.forEach((resource, quantity) -> {
                if (resource.contains("/") && quantity != null) {
                    devices.put(resource, quantity);
                }
            });
            return devices;
        }
    }

    abstract static class ApiList<T extends ApiObject> implements KubernetesListObject {
        @Nullable
        String apiVersion;

        @Nullable
        String kind;

        @Nullable
        V1ListMeta metadata;

        @Nullable
        List<T> items;

        @Override
        public @Nullable String getApiVersion() {
            return apiVersion;
        }

        @Override
        public @Nullable String getKind() {
            return kind;
        }

        @Override
        public @Nullable V1ListMeta getMetadata() {
            return metadata;
        }

        @Override
        public List<T> getItems() {
            return items == null ? List.of() : items;
        }

        /** Adds the objects of the next page, and takes over what it tells of the list. */
        void add(ApiList<T> next) {
            if (items == null) {
                items = new ArrayList<>();
            }
            items.addAll(next.getItems());
            metadata = next.metadata;
        }
    }

    static final class PodList extends ApiList<Pod> {}

    static final class NodeList extends ApiList<Node> {}

    private static String text(@Nullable String value) {
        return value == null ? "" : value;
    }
}
