package io.gpushare.simulated.apiserver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.apiserver.store.ApiError;
import io.gpushare.simulated.apiserver.store.ApiResource;
import io.gpushare.simulated.apiserver.store.Documents;
import io.gpushare.simulated.apiserver.store.MergePatch;
import io.gpushare.simulated.apiserver.store.ObjectKey;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * A POST to {@code pods/<name>/binding}: it sets the node and the annotations atomically. Its rules and texts are those
 * of Kubernetes 1.36 (pkg/registry/core/pod/storage/storage.go, assignPod and setPodNodeAndMetadata).
 */
record PodBinding(ObjectNode binding, ObjectKey key) {

    /** Checks the Binding against its URL: 400 for another name, 422 for a missing target or one that is not a node. */
    static PodBinding parse(ObjectNode binding, ObjectKey key) {
        String name = Documents.text(binding, "metadata.name");
        if (!name.equals(key.name())) {
            throw ApiError.badRequest("name in URL does not match name in Binding object");
        }
        String kind = Documents.text(binding, "target.kind");
        if (!kind.isEmpty() && !kind.equals("Node")) {
            throw ApiError.invalid(
                    ApiResource.PODS,
                    name,
                    "target.kind: Unsupported value: \"" + kind + "\": supported values: \"Node\"");
        }
        if (Documents.text(binding, "target.name").isEmpty()) {
            throw ApiError.invalid(ApiResource.PODS, name, "target.name: Required value");
        }
        return new PodBinding(binding, key);
    }

    ObjectNode apply(ObjectNode pod, Instant now) {
        checkPreconditions(pod);
        checkAssignable(pod);
        pod.withObjectProperty("spec").put("nodeName", Documents.text(binding, "target.name"));
        merge(pod, "annotations");
        merge(pod, "labels");
        ObjectNode status = pod.withObjectProperty("status");
        status.remove("nominatedNodeName");
        ObjectNode scheduled = Documents.empty();
        scheduled
                .withArrayProperty("conditions")
                .addObject()
                .put("type", "PodScheduled")
                .put("status", "True")
                .putNull("reason")
                .putNull("message")
                .put("lastTransitionTime", now.truncatedTo(ChronoUnit.SECONDS).toString());
        MergePatch.STRATEGIC.apply(status, scheduled);
        return pod;
    }

    private void checkPreconditions(ObjectNode pod) {
        checkPrecondition(pod, "uid", "UID");
        checkPrecondition(pod, "resourceVersion", "ResourceVersion");
    }

    private void checkPrecondition(ObjectNode pod, String field, String word) {
        String expected = Documents.text(binding, "metadata." + field);
        String present = Documents.text(pod, "metadata." + field);
        if (!expected.isEmpty() && !expected.equals(present)) {
            throw ApiError.conflict(
                    "pods",
                    key.name(),
                    "StorageError: invalid object, Code: 4, Key: /pods/" + key.namespace() + "/" + key.name()
                            + ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: " + word
                            + " in precondition: " + expected + ", " + word + " in object meta: " + present);
        }
    }

    private void checkAssignable(ObjectNode pod) {
        if (pod.path("metadata").has("deletionTimestamp")) {
            throw refused("pod " + key.name() + " is being deleted, cannot be assigned to a host");
        }
        String node = Documents.text(pod, "spec.nodeName");
        if (!node.isEmpty()) {
            throw refused("pod " + key.name() + " is already assigned to node \"" + node + "\"");
        }
        if (!pod.path("spec").path("schedulingGates").isEmpty()) {
            throw refused("pod " + key.name() + " has non-empty .spec.schedulingGates");
        }
    }

    private ApiError refused(String why) {
        return ApiError.conflict("pods/binding", key.name(), why);
    }

    private void merge(ObjectNode pod, String field) {
        JsonNode added = binding.path("metadata").path(field);
        if (added instanceof ObjectNode map && !map.isEmpty()) {
            Documents.metadata(pod).withObjectProperty(field).setAll(map);
        }
    }
}
