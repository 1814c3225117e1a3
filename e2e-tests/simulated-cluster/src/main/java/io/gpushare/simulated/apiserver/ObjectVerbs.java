package io.gpushare.simulated.apiserver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.apiserver.store.ApiError;
import io.gpushare.simulated.apiserver.store.ApiResource;
import io.gpushare.simulated.apiserver.store.Documents;
import io.gpushare.simulated.apiserver.store.MergePatch;
import io.gpushare.simulated.apiserver.store.ObjectStore;
import io.gpushare.simulated.apiserver.store.StoredQuantities;
import io.gpushare.time.Machine;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * The verbs that change objects: create, replace, patch, bind, delete. Finalizers, admission plugins, the existence of
 * namespaces, and validation other than of names, of quantities, of pods' resources and gates, and of Events' messages
 * are not simulated.
 */
final class ObjectVerbs {
    private static final int LONGEST_MESSAGE = 1024;

    private final ObjectStore store;
    private final InstantSource clock;

    ObjectVerbs(ObjectStore store, InstantSource clock) {
        this.store = store;
        this.clock = clock;
    }

    ObjectNode create(ApiPath path, ObjectNode fresh) {
        ObjectNode metadata = Documents.metadata(fresh);
        String prefix = metadata.path("generateName").asText("");
        if (metadata.path("name").asText("").isEmpty() && !prefix.isEmpty()) {
            metadata.put("name", prefix + Machine.here().unique().substring(0, 5));
        }
        String name = metadata.path("name").asText("");
        if (name.isEmpty()) {
            throw ApiError.invalid(
                    path.resource(), "", "metadata.name: Required value: name or generateName is required");
        }
        if (path.resource().namespaced) {
            String namespace = metadata.path("namespace").asText(path.namespace());
            if (path.namespace().isEmpty() || !namespace.equals(path.namespace())) {
                throw ApiError.badRequest(
                        "the namespace of the provided object does not match the namespace sent on the request");
            }
            metadata.put("namespace", namespace);
        }
        if (path.resource() == ApiResource.EVENTS) {
            checkMessage(fresh);
        }
        StoredQuantities.in(fresh);
        return store.create(path.resource(), path.resource() == ApiResource.PODS ? PodRules.admit(fresh) : fresh);
    }

    /** validation.NoteLengthLimit, which Go's len counts in bytes of UTF-8. */
    private static void checkMessage(ObjectNode event) {
        if (Documents.text(event, "message").getBytes(StandardCharsets.UTF_8).length > LONGEST_MESSAGE) {
            throw ApiError.invalid(
                    ApiResource.EVENTS,
                    Documents.text(event, "metadata.name"),
                    "message: Invalid value: \"\": can have at most " + LONGEST_MESSAGE + " characters");
        }
    }

    ObjectNode bind(ApiPath path, ObjectNode body) {
        PodBinding binding = PodBinding.parse(body, path.key());
        store.update(ApiResource.PODS, path.key(), pod -> binding.apply(pod, clock.instant()));
        return ApiError.success(201);
    }

    /** PUT: the whole object (or its status); a resourceVersion in it must be the current one. */
    ObjectNode replace(ApiPath path, ObjectNode body) {
        boolean versioned = !Documents.text(body, "metadata.resourceVersion").isEmpty();
        if (path.resource() == ApiResource.LEASES && !versioned) {
            throw ApiError.invalid(
                    path.resource(), path.name(), "metadata.resourceVersion: must be specified for an update");
        }
        return store.update(path.resource(), path.key(), before -> {
            checkSame(path, before, body, "resourceVersion", "uid");
            return settle(path, before, body.deepCopy());
        });
    }

    ObjectNode patch(ApiPath path, @Nullable String contentType, ObjectNode patch) {
        String type = contentType == null ? "" : contentType;
        MergePatch kind = MergePatch.of(type).orElseThrow(() -> ApiError.unsupportedPatch(type));
        return store.update(path.resource(), path.key(), before -> {
            checkSame(path, before, patch, "resourceVersion");
            checkUid(path, before, patch);
            return settle(path, before, kind.apply(before.deepCopy(), patch));
        });
    }

    /** A patch sets the uid like any other field, and the validation of the update rejects the change. */
    private static void checkUid(ApiPath path, ObjectNode before, ObjectNode patch) {
        String uid = Documents.text(patch, "metadata.uid");
        if (!uid.isEmpty() && !uid.equals(Documents.text(before, "metadata.uid"))) {
            throw ApiError.immutable(path.resource(), path.name(), "metadata.uid", uid);
        }
    }

    private static void checkSame(ApiPath path, ObjectNode before, ObjectNode body, String... fields) {
        for (String field : fields) {
            String expected = Documents.text(body, "metadata." + field);
            if (!expected.isEmpty() && !expected.equals(Documents.text(before, "metadata." + field))) {
                throw ApiError.modified(path.resource(), path.name());
            }
        }
    }

    /** Restores the fields that this path can't change: the server's metadata, and the status or everything else. */
    private static ObjectNode settle(ApiPath path, ObjectNode before, ObjectNode after) {
        ObjectNode metadata = Documents.metadata(after);
        for (String fixed : new String[] {"name", "namespace", "uid", "creationTimestamp", "deletionTimestamp"}) {
            JsonNode value = before.path("metadata").path(fixed);
            if (value.isMissingNode()) {
                metadata.remove(fixed);
            } else {
                metadata.set(fixed, value);
            }
        }
        if (path.resource().hasStatus) {
            String kept = path.subresource().equals("status") ? "spec" : "status";
            after.remove(kept);
            after.setAll(before.deepCopy().retain(kept));
        }
        StoredQuantities.in(after);
        if (path.resource() == ApiResource.PODS && path.subresource().isEmpty()) {
            PodRules.checkUpdate(before, after);
        }
        return after;
    }

    /**
     * Deletes an object. A pod on a node is only marked for deletion, with its grace period, until the kubelet deletes
     * it with a grace period of 0. Every other object is removed at once. Returns the pod, or a Status for other
     * objects.
     *
     * @param options a DeleteOptions document, possibly empty
     */
    ObjectNode delete(ApiPath path, @Nullable String graceInQuery, ObjectNode options) {
        ObjectNode present = store.get(path.resource(), path.key());
        String uid = Documents.text(options, "preconditions.uid");
        String is = Documents.text(present, "metadata.uid");
        if (!uid.isEmpty() && !uid.equals(is)) {
            throw ApiError.conflict(
                    path.resource().qualified(),
                    path.name(),
                    "Precondition failed: UID in precondition: " + uid + ", UID in object meta: " + is);
        }
        if (path.resource() != ApiResource.PODS) {
            store.remove(path.resource(), path.key());
            return ApiError.success(200);
        }
        String requested = graceInQuery == null ? Documents.text(options, "gracePeriodSeconds") : graceInQuery;
        long grace = grace(present, requested);
        return grace == 0
                ? store.remove(path.resource(), path.key())
                : store.update(path.resource(), path.key(), pod -> mark(pod, grace));
    }

    private static long grace(ObjectNode pod, String requested) {
        String phase = Documents.text(pod, "status.phase");
        boolean ended = phase.equals("Succeeded") || phase.equals("Failed");
        if (ended || Documents.text(pod, "spec.nodeName").isEmpty()) {
            return 0;
        }
        try {
            return requested.isEmpty()
                    ? pod.path("spec").path("terminationGracePeriodSeconds").asLong()
                    : Long.parseLong(requested);
        } catch (NumberFormatException _) {
            throw ApiError.badRequest("gracePeriodSeconds must be a whole number of seconds, not " + requested);
        }
    }

    private ObjectNode mark(ObjectNode pod, long grace) {
        ObjectNode metadata = Documents.metadata(pod);
        boolean sooner = metadata.path("deletionGracePeriodSeconds").asLong(Long.MAX_VALUE) > grace;
        if (sooner) {
            Instant end = clock.instant().plusSeconds(grace).truncatedTo(ChronoUnit.SECONDS);
            metadata.put("deletionTimestamp", end.toString()).put("deletionGracePeriodSeconds", grace);
        }
        return pod;
    }
}
