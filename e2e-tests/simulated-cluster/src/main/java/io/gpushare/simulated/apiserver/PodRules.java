package io.gpushare.simulated.apiserver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.apiserver.store.ApiError;
import io.gpushare.simulated.apiserver.store.ApiResource;
import io.gpushare.simulated.apiserver.store.Documents;
import java.util.List;

/** Defaulting and validation of new and changed pods. */
final class PodRules {
    private static final List<String> CONTAINERS = List.of("initContainers", "containers");

    private PodRules() {}

    /**
     * Sets the defaults of a new pod; rejects a pod without containers or with a fractional or unequal extended
     * resource.
     */
    static ObjectNode admit(ObjectNode pod) {
        String name = Documents.text(pod, "metadata.name");
        ObjectNode spec = pod.withObjectProperty("spec");
        if (spec.path("containers").isEmpty()) {
            throw ApiError.invalid(ApiResource.PODS, name, "spec.containers: Required value");
        }
        for (String list : CONTAINERS) {
            for (JsonNode container : spec.path(list)) {
                admitResources(name, "spec." + list, ((ObjectNode) container).withObjectProperty("resources"));
            }
        }
        defaultText(spec, "restartPolicy", "Always");
        defaultText(spec, "schedulerName", "default-scheduler");
        if (!spec.has("terminationGracePeriodSeconds")) {
            spec.put("terminationGracePeriodSeconds", 30);
        }
        pod.putObject("status").put("phase", "Pending");
        return pod;
    }

    private static void admitResources(String pod, String where, ObjectNode resources) {
        JsonNode limits = resources.path("limits");
        if (limits.isEmpty()) {
            return;
        }
        ObjectNode requests = resources.withObjectProperty("requests");
        for (var limit : limits.properties()) {
            JsonNode request = requests.path(limit.getKey());
            if (request.isMissingNode()) {
                requests.set(limit.getKey(), limit.getValue());
            }
            if (!limit.getKey().contains("/")) {
                continue;
            }
            if (!limit.getValue().asText().matches("[0-9]+")) {
                throw ApiError.invalid(
                        ApiResource.PODS, pod, where + ".resources.limits[" + limit.getKey() + "]: must be an integer");
            }
            if (!requests.path(limit.getKey()).asText().equals(limit.getValue().asText())) {
                throw ApiError.invalid(
                        ApiResource.PODS,
                        pod,
                        where + ".resources.requests: must be equal to " + limit.getKey() + " limit of "
                                + limit.getValue().asText());
            }
        }
    }

    private static void defaultText(ObjectNode spec, String field, String value) {
        if (!spec.has(field)) {
            spec.put(field, value);
        }
    }

    /** Validates an update of the spec, which may only remove scheduling gates. */
    static void checkUpdate(ObjectNode before, ObjectNode after) {
        ObjectNode was = before.withObjectProperty("spec").deepCopy().without("schedulingGates");
        ObjectNode is = after.withObjectProperty("spec").deepCopy().without("schedulingGates");
        if (!was.equals(is)) {
            throw ApiError.invalid(
                    ApiResource.PODS,
                    Documents.text(before, "metadata.name"),
                    "spec: Forbidden: pod updates may not change fields of the spec");
        }
    }
}
