package io.gpushare.simulated.apiserver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.apiserver.store.ApiError;
import io.gpushare.simulated.apiserver.store.ApiResource;
import io.gpushare.simulated.apiserver.store.Documents;
import io.gpushare.simulated.apiserver.store.MergePatch;
import io.gpushare.simulated.apiserver.store.ObjectKey;
import io.gpushare.simulated.apiserver.store.ObjectStore;
import io.gpushare.simulated.apiserver.store.Selection;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;

/**
 * A POST to {@code pods/<name>/eviction}: a deletion that the PodDisruptionBudgets allow. Its rules and texts are those
 * of Kubernetes 1.36 (pkg/registry/core/pod/storage/eviction.go). No controller computes {@code disruptionsAllowed}:
 * each eviction takes one, and tests set it.
 */
final class PodEviction {
    private final ObjectStore store;
    private final ObjectVerbs verbs;
    private final InstantSource clock;

    PodEviction(ObjectStore store, ObjectVerbs verbs, InstantSource clock) {
        this.store = store;
        this.verbs = verbs;
        this.clock = clock;
    }

    ObjectNode evict(ApiPath path, ObjectNode eviction) {
        if (!Documents.text(eviction, "metadata.name").equals(path.name())) {
            throw ApiError.badRequest("name in URL does not match name in Eviction object");
        }
        ObjectNode options = eviction.path("deleteOptions") instanceof ObjectNode given ? given : Documents.empty();
        ObjectNode pod = store.get(ApiResource.PODS, path.key());
        boolean dryRun = !options.path("dryRun").isEmpty();
        if (guarded(pod)) {
            takeFromBudget(path.namespace(), pod, dryRun);
        }
        if (dryRun) {
            return ApiError.success(201);
        }
        verbs.delete(path, null, options);
        markAsDisrupted(path.key(), Documents.text(pod, "metadata.uid"));
        return ApiError.success(201);
    }

    /** canIgnorePDB */
    private static boolean guarded(ObjectNode pod) {
        return !Set.of("Succeeded", "Failed", "Pending").contains(Documents.text(pod, "status.phase"))
                && !pod.path("metadata").has("deletionTimestamp");
    }

    private void takeFromBudget(String namespace, ObjectNode pod, boolean dryRun) {
        Selection inNamespace = Selection.parse(ApiResource.DISRUPTION_BUDGETS, namespace, null, null);
        List<ObjectNode> budgets = store
                .list(ApiResource.DISRUPTION_BUDGETS, inNamespace, new ObjectKey("", ""), Integer.MAX_VALUE)
                .objects()
                .stream()
                .filter(budget -> selects(
                        budget.path("spec").path("selector"),
                        pod.path("metadata").path("labels")))
                .toList();
        if (budgets.size() > 1) {
            throw ApiError.of(
                    500,
                    "InternalError",
                    "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.");
        }
        for (ObjectNode budget : budgets) {
            int allowed = budget.path("status").path("disruptionsAllowed").asInt();
            if (allowed <= 0) {
                throw ApiError.of(
                        429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.");
            }
            if (!dryRun) {
                store.update(ApiResource.DISRUPTION_BUDGETS, ObjectKey.of(budget), now -> {
                    now.withObjectProperty("status").put("disruptionsAllowed", allowed - 1);
                    return now;
                });
            }
        }
    }

    private static boolean selects(JsonNode selector, JsonNode labels) {
        for (var label : selector.path("matchLabels").properties()) {
            if (!label.getValue().equals(labels.path(label.getKey()))) {
                return false;
            }
        }
        for (JsonNode each : selector.path("matchExpressions")) {
            String value = Documents.text(labels, each.path("key").asText());
            boolean among = false;
            for (JsonNode one : each.path("values")) {
                among |= one.asText().equals(value);
            }
            boolean meets = switch (each.path("operator").asText()) {
                case "In" -> among;
                case "NotIn" -> !among;
                case "Exists" -> labels.has(each.path("key").asText());
                default -> !labels.has(each.path("key").asText());
            };
            if (!meets) {
                return false;
            }
        }
        return !selector.isMissingNode();
    }

    private void markAsDisrupted(ObjectKey key, String uid) {
        ObjectNode change = Documents.empty();
        change.withArrayProperty("conditions")
                .addObject()
                .put("type", "DisruptionTarget")
                .put("status", "True")
                .put("reason", "EvictionByEvictionAPI")
                .put("message", "Eviction API: evicting")
                .put(
                        "lastTransitionTime",
                        clock.instant().truncatedTo(ChronoUnit.SECONDS).toString());
        try {
            store.update(ApiResource.PODS, key, pod -> {
                if (uid.equals(Documents.text(pod, "metadata.uid"))) {
                    MergePatch.STRATEGIC.apply(pod.withObjectProperty("status"), change);
                }
                return pod;
            });
        } catch (ApiError gone) {
            // Without a grace period the pod is gone already.
            if (gone.code() != 404) {
                throw gone;
            }
        }
    }
}
