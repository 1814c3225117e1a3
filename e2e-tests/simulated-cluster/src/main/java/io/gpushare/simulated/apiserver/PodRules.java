package io.gpushare.simulated.apiserver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.apiserver.store.ApiError;
import io.gpushare.simulated.apiserver.store.ApiResource;
import io.gpushare.simulated.apiserver.store.Documents;
import io.gpushare.simulated.client.Quantities;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Defaulting and validation of new and changed pods (pkg/apis/core/validation, pkg/registry/core/pod/strategy.go). */
final class PodRules {
    private static final List<String> CONTAINERS = List.of("initContainers", "containers");

    private PodRules() {}

    /**
     * Sets the defaults of a new pod; rejects a pod without containers, with an extended resource that is no integer or
     * has another request than limit, and one with scheduling gates on a node.
     */
    static ObjectNode admit(ObjectNode pod) {
        String name = Documents.text(pod, "metadata.name");
        ObjectNode spec = pod.withObjectProperty("spec");
        List<String> errors = new ArrayList<>();
        if (spec.path("containers").isEmpty()) {
            errors.add("spec.containers: Required value");
        }
        for (String list : CONTAINERS) {
            int index = 0;
            for (JsonNode container : spec.path(list)) {
                checkResources(
                        "spec." + list + "[" + index++ + "].resources",
                        ((ObjectNode) container).withObjectProperty("resources"),
                        errors);
            }
        }
        boolean gated = !spec.path("schedulingGates").isEmpty();
        if (gated && !spec.path("nodeName").asText("").isEmpty()) {
            errors.add("spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared");
        }
        check(name, errors);
        defaultText(spec, "restartPolicy", "Always");
        defaultText(spec, "schedulerName", "default-scheduler");
        if (!spec.has("terminationGracePeriodSeconds")) {
            spec.put("terminationGracePeriodSeconds", 30);
        }
        ObjectNode status = pod.putObject("status").put("phase", "Pending");
        if (gated) {
            status.withArrayProperty("conditions")
                    .addObject()
                    .put("type", "PodScheduled")
                    .put("status", "False")
                    .put("reason", "SchedulingGated")
                    .put("message", "Scheduling is blocked due to non-empty scheduling gates");
        }
        return pod;
    }

    private static void check(String pod, List<String> errors) {
        if (!errors.isEmpty()) {
            throw ApiError.invalid(
                    ApiResource.PODS,
                    pod,
                    errors.size() == 1 ? errors.getFirst() : "[" + String.join(", ", errors) + "]");
        }
    }

    private static void checkResources(String where, ObjectNode resources, List<String> errors) {
        if (!resources.path("limits").isEmpty()) {
            ObjectNode requests = resources.withObjectProperty("requests");
            resources.path("limits").properties().stream()
                    .filter(limit -> !requests.has(limit.getKey()))
                    .forEach(limit -> requests.set(limit.getKey(), limit.getValue()));
        }
        Map<String, BigDecimal> limits = Quantities.of(resources.path("limits"));
        Map<String, BigDecimal> requests = Quantities.of(resources.path("requests"));
        checkAmounts(where + ".limits", resources.path("limits"), errors);
        checkAmounts(where + ".requests", resources.path("requests"), errors);
        requests.forEach((resource, request) -> {
            BigDecimal limit = limits.get(resource);
            String given = resources.path("requests").path(resource).asText();
            String most = resources.path("limits").path(resource).asText();
            if (limit == null) {
                if (extended(resource)) {
                    errors.add(where + ".limits: Required value: Limit must be set for non overcommitable resources");
                }
            } else if (extended(resource) && request.compareTo(limit) != 0) {
                errors.add(where + ".requests: Invalid value: \"" + given + "\": must be equal to " + resource
                        + " limit of " + most);
            } else if (request.compareTo(limit) > 0) {
                errors.add(where + ".requests: Invalid value: \"" + given + "\": must be less than or equal to "
                        + resource + " limit of " + most);
            }
        });
    }

    private static void checkAmounts(String where, JsonNode list, List<String> errors) {
        Quantities.of(list).forEach((resource, amount) -> {
            String invalid = where + "[" + resource + "]: Invalid value: \""
                    + list.path(resource).asText() + "\": ";
            if (amount.signum() < 0) {
                errors.add(invalid + "must be greater than or equal to 0");
            }
            // By 2000m as well as by 2k.
            if (extended(resource) && amount.stripTrailingZeros().scale() > 0) {
                errors.add(invalid + "must be an integer");
            }
        });
    }

    private static boolean extended(String resource) {
        return resource.contains("/");
    }

    private static void defaultText(ObjectNode spec, String field, String value) {
        if (!spec.has(field)) {
            spec.put(field, value);
        }
    }

    /**
     * Validates an update of the spec: it may remove scheduling gates and add tolerations, and as long as it has gates,
     * add labels to its node selector. Kueue admits pods so.
     */
    static void checkUpdate(ObjectNode before, ObjectNode after) {
        ObjectNode was = before.withObjectProperty("spec").deepCopy();
        ObjectNode is = after.withObjectProperty("spec").deepCopy();
        String name = Documents.text(before, "metadata.name");
        List<String> errors = new ArrayList<>();
        Set<JsonNode> gates = elements(was, "schedulingGates");
        int index = 0;
        for (JsonNode gate : is.path("schedulingGates")) {
            if (!gates.contains(gate)) {
                errors.add("spec.schedulingGates[" + index
                        + "].name: Forbidden: only deletion is allowed, but found new scheduling gate '"
                        + gate.path("name").asText() + "'");
            }
            index++;
        }
        if (elements(is, "tolerations").containsAll(elements(was, "tolerations"))) {
            was.remove("tolerations");
            is.remove("tolerations");
        }
        if (!gates.isEmpty()
                && is.path("nodeSelector")
                        .properties()
                        .containsAll(was.path("nodeSelector").properties())) {
            was.remove("nodeSelector");
            is.remove("nodeSelector");
        }
        if (!was.without("schedulingGates").equals(is.without("schedulingGates"))) {
            errors.add("spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,"
                    + "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions"
                    + " to existing tolerations)");
        }
        check(name, errors);
    }

    private static Set<JsonNode> elements(ObjectNode spec, String list) {
        Set<JsonNode> elements = new HashSet<>();
        spec.path(list).forEach(elements::add);
        return elements;
    }
}
