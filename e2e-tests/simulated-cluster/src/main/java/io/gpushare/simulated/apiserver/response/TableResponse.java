package io.gpushare.simulated.apiserver.response;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.apiserver.store.ApiResource;
import io.gpushare.simulated.apiserver.store.Documents;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Objects as the Table that {@code kubectl get} prints. */
public final class TableResponse {
    private TableResponse() {}

    /** Whether the client prefers a Table. */
    public static boolean accepted(@Nullable String accept) {
        return accept != null && accept.contains("as=Table") && accept.contains("application/json");
    }

    public static ObjectNode of(ApiResource resource, List<ObjectNode> objects, long version, Instant now) {
        ObjectNode table = Documents.empty().put("kind", "Table").put("apiVersion", "meta.k8s.io/v1");
        table.putObject("metadata").put("resourceVersion", Long.toString(version));
        ArrayNode columns = table.putArray("columnDefinitions");
        cells(resource, Documents.empty(), now)
                .keySet()
                .forEach(name -> columns.addObject()
                        .put("name", name)
                        .put("type", "string")
                        .put("format", name.equals("Name") ? "name" : "")
                        .put("description", "")
                        .put("priority", resource == ApiResource.PODS && name.equals("Node") ? 1 : 0));
        ArrayNode rows = table.putArray("rows");
        for (ObjectNode object : objects) {
            ObjectNode row = rows.addObject();
            cells(resource, object, now).values().forEach(row.putArray("cells")::add);
            ObjectNode metadata =
                    row.putObject("object").put("kind", "PartialObjectMetadata").put("apiVersion", "meta.k8s.io/v1");
            metadata.set("metadata", object.path("metadata"));
        }
        return table;
    }

    private static Map<String, String> cells(ApiResource resource, ObjectNode object, Instant now) {
        Map<String, String> cells = new LinkedHashMap<>();
        cells.put("Name", Documents.text(object, "metadata.name"));
        JsonNode status = object.path("status");
        switch (resource) {
            case PODS -> {
                int ready = 0;
                for (JsonNode container : status.path("containerStatuses")) {
                    ready += container.path("ready").asBoolean() ? 1 : 0;
                }
                cells.put(
                        "Ready",
                        ready + "/" + object.path("spec").path("containers").size());
                cells.put("Status", phase(object));
                cells.put("Restarts", "0");
            }
            case NODES -> cells.put("Status", "Ready");
            case NAMESPACES -> cells.put("Status", "Active");
            case DEPLOYMENTS -> {
                cells.put(
                        "Ready",
                        status.path("readyReplicas").asInt() + "/"
                                + object.path("spec").path("replicas").asInt(1));
                cells.put(
                        "Up-to-date",
                        String.valueOf(status.path("updatedReplicas").asInt()));
                cells.put(
                        "Available",
                        String.valueOf(status.path("availableReplicas").asInt()));
            }
            case EVENTS -> {
                cells.clear();
                cells.put("Last Seen", age(Documents.text(object, "lastTimestamp"), now));
                cells.put("Type", Documents.text(object, "type"));
                cells.put("Reason", Documents.text(object, "reason"));
                cells.put(
                        "Object",
                        Documents.text(object, "involvedObject.kind").toLowerCase(Locale.ROOT) + "/"
                                + Documents.text(object, "involvedObject.name"));
                cells.put("Message", Documents.text(object, "message"));
                return cells;
            }
            case LEASES -> cells.put("Holder", Documents.text(object, "spec.holderIdentity"));
            case PRIORITY_CLASSES -> cells.put("Value", Documents.text(object, "value"));
            case RESOURCE_CLAIMS -> cells.put("State", claim(object));
            case RESOURCE_SLICES -> {
                cells.put("Node", Documents.text(object, "spec.nodeName"));
                cells.put("Driver", Documents.text(object, "spec.driver"));
                cells.put("Pool", Documents.text(object, "spec.pool.name"));
            }
            case DISRUPTION_BUDGETS, RESOURCE_QUOTAS, DEVICE_CLASSES, CLAIM_TEMPLATES, DEVICE_TAINT_RULES -> {}
        }
        cells.put("Age", age(Documents.text(object, "metadata.creationTimestamp"), now));
        if (resource == ApiResource.PODS) {
            cells.put("Node", Documents.text(object, "spec.nodeName"));
        }
        return cells;
    }

    private static String phase(ObjectNode pod) {
        if (pod.path("metadata").has("deletionTimestamp")) {
            return "Terminating";
        }
        String reason = Documents.text(pod, "status.reason");
        String phase = Documents.text(pod, "status.phase");
        return !reason.isEmpty() ? reason : phase.equals("Succeeded") ? "Completed" : phase;
    }

    private static String claim(ObjectNode claim) {
        boolean deleted = claim.path("metadata").has("deletionTimestamp");
        JsonNode status = claim.path("status");
        List<String> states = new ArrayList<>();
        if (deleted) {
            states.add("deleted");
        }
        if (status.has("allocation")) {
            states.add("allocated");
            if (!status.path("reservedFor").isEmpty()) {
                states.add("reserved");
            }
        } else if (!deleted) {
            states.add("pending");
        }
        return String.join(",", states);
    }

    private static String age(String since, Instant now) {
        if (since.isEmpty()) {
            return "<unknown>";
        }
        long seconds = Math.max(0, Duration.between(Instant.parse(since), now).toSeconds());
        return seconds < 120 ? seconds + "s" : seconds < 7200 ? seconds / 60 + "m" : seconds / 3600 + "h";
    }
}
