package io.gpushare.simulated.claims;

import static io.gpushare.simulated.claims.PodClaims.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.PodDocument;
import io.gpushare.simulated.client.Reflector;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** kube-scheduler's plugin DynamicResources: allocates the claims of a pod on its node, before the pod is bound. */
public final class SchedulerClaims implements AutoCloseable {
    private static final String GROUP = "/apis/resource.k8s.io/v1/";

    private final ApiClient cluster;
    private final Runnable changed;
    private final Map<String, ObjectNode> claims = new HashMap<>(); // by namespace/name
    private final Map<String, ObjectNode> slices = new HashMap<>(); // by name
    private final Map<String, ObjectNode> classes = new HashMap<>(); // by name
    private final Map<String, ObjectNode> assumed = new LinkedHashMap<>(); // allocations by namespace/name of the claim
    private final List<Reflector> followers;

    /** @param changed called when a pod may fit that did not */
    public SchedulerClaims(ApiClient cluster, Runnable changed) {
        this.cluster = cluster;
        this.changed = changed;
        followers = List.of(
                new Reflector(cluster, PodClaims.CLAIMS, "", new Store(claims)),
                new Reflector(cluster, GROUP + "resourceslices", "", new Store(slices)),
                new Reflector(cluster, GROUP + "deviceclasses", "", new Store(classes)));
    }

    public SchedulerClaims start() {
        followers.forEach(Reflector::start);
        return this;
    }

    private final class Store implements Reflector.Listener {
        private final Map<String, ObjectNode> objects;

        Store(Map<String, ObjectNode> objects) {
            this.objects = objects;
        }

        @Override
        public void present(List<ObjectNode> all) {
            synchronized (SchedulerClaims.this) {
                all.forEach(object -> objects.put(key(object), object));
            }
            changed.run();
        }

        @Override
        public void gone(ObjectNode object) {
            synchronized (SchedulerClaims.this) {
                objects.remove(key(object));
            }
            changed.run();
        }
    }

    private static String key(JsonNode object) {
        JsonNode metadata = object.path("metadata");
        String namespace = text(metadata, "namespace");
        return namespace.isEmpty() ? text(metadata, "name") : namespace + "/" + text(metadata, "name");
    }

    /** kube-scheduler's reason why the pod can't have its claims on that node; empty if it can. */
    public synchronized Optional<String> against(String node, PodDocument pod) {
        for (String name : PodClaims.of(pod).values()) {
            if (!claims.containsKey(pod.namespace() + "/" + name)) {
                return Optional.of("waiting for its ResourceClaim to be created");
            }
        }
        return allocations(node, pod) == null ? Optional.of("cannot allocate all claims") : Optional.empty();
    }

    /** The new allocations by claim; null if there are none for all of the pod's claims. */
    private @Nullable Map<String, ObjectNode> allocations(String node, PodDocument pod) {
        Map<String, ObjectNode> fresh = new LinkedHashMap<>();
        for (String name : PodClaims.of(pod).values()) {
            String key = pod.namespace() + "/" + name;
            JsonNode present = allocation(key);
            if (present.isMissingNode()) {
                Optional<ObjectNode> found = allocator(key, node, fresh).allocate(node);
                if (found.isEmpty()) {
                    return null;
                }
                fresh.put(key, found.get());
            } else if (!text(present.path("devices").path("results").path(0), "pool")
                    .equals(node)) {
                return null;
            }
        }
        return fresh;
    }

    private JsonNode allocation(String claim) {
        return Optional.<JsonNode>ofNullable(assumed.get(claim))
                .orElseGet(() -> Optional.<JsonNode>ofNullable(claims.get(claim))
                        .orElseGet(ApiClient::document)
                        .path("status")
                        .path("allocation"));
    }

    private DeviceAllocator allocator(String claim, String node, Map<String, ObjectNode> fresh) {
        List<JsonNode> allocations = new ArrayList<>(fresh.values());
        allocations.addAll(assumed.values());
        claims.forEach((key, each) -> {
            if (!assumed.containsKey(key)) {
                allocations.add(each.path("status").path("allocation"));
            }
        });
        Map<String, JsonNode> specs = new HashMap<>();
        classes.forEach((name, each) -> specs.put(name, each.path("spec")));
        List<JsonNode> own = new ArrayList<>(slices.values());
        own.removeIf(slice -> !text(slice.path("spec"), "nodeName").equals(node));
        own.sort(Comparator.comparing(SchedulerClaims::key));
        return new DeviceAllocator(Objects.requireNonNull(claims.get(claim)), specs, own, allocations);
    }

    /** Counts what the pod's claims get on that node, where {@link #against} had no reason. */
    public synchronized void assume(PodDocument pod, String node) {
        assumed.putAll(Objects.requireNonNullElse(allocations(node, pod), Map.of()));
    }

    /** Writes what was assumed for the pod, and reserves its claims for it. */
    public void write(PodDocument pod) throws IOException, InterruptedException {
        for (String name : PodClaims.of(pod).values()) {
            String path = PodClaims.path(pod.namespace(), name);
            ObjectNode claim = cluster.get(path).document();
            ObjectNode status = claim.withObject("/status");
            synchronized (this) {
                @Nullable ObjectNode allocation = assumed.get(pod.namespace() + "/" + name);
                if (allocation != null) {
                    status.set("allocation", allocation);
                }
            }
            ArrayNode reserved = status.withArrayProperty("reservedFor");
            if (reserved.findValuesAsText("uid").stream().noneMatch(pod.uid()::equals)) {
                reserved.addObject()
                        .put("resource", "pods")
                        .put("name", pod.name())
                        .put("uid", pod.uid());
            }
            ApiClient.Answer answer = cluster.put(path + "/status", claim);
            if (!answer.succeeded()) {
                throw new IOException("the claim " + name + " can't be allocated: " + answer.message());
            }
            synchronized (this) {
                claims.put(pod.namespace() + "/" + name, answer.document());
            }
        }
        forget(pod);
    }

    /**
     * Takes from a pod that fits nowhere the allocation of one of its claims, unless another pod uses it
     * (dynamicresources.go, PostFilter): then the claim can be allocated elsewhere.
     */
    public void deallocate(PodDocument pod) throws IOException, InterruptedException {
        for (String name : PodClaims.of(pod).values()) {
            if (name.isEmpty()) {
                continue;
            }
            String path = PodClaims.path(pod.namespace(), name);
            ObjectNode claim = cluster.get(path).document();
            ObjectNode status = claim.withObject("/status");
            boolean others =
                    status.path("reservedFor").findValuesAsText("uid").stream().anyMatch(uid -> !uid.equals(pod.uid()));
            if (status.has("allocation") && !others) {
                status.remove("allocation");
                status.remove("reservedFor");
                cluster.put(path + "/status", claim);
                return;
            }
        }
    }

    /** Ends what was assumed for the pod. */
    public synchronized void forget(PodDocument pod) {
        PodClaims.of(pod).values().forEach(name -> assumed.remove(pod.namespace() + "/" + name));
    }

    @Override
    public void close() {
        followers.forEach(Reflector::close);
    }
}
