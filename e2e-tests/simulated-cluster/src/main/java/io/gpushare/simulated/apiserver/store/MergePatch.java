package io.gpushare.simulated.apiserver.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.Optional;

/**
 * JSON merge patch (RFC 7386) and a subset of Kubernetes' strategic merge patch: maps are merged as in a merge patch,
 * lists are replaced, and only conditions, containers and their variables are merged by their type or name. Directives
 * on the order of elements and on retained keys have no effect; other directives on maps are rejected.
 */
public enum MergePatch {
    MERGE,
    STRATEGIC;

    // The lists whose elements are merged, with the field that identifies an element.
    private static final Map<String, String> KEYS =
            Map.of("conditions", "type", "containers", "name", "initContainers", "name", "env", "name");

    public static Optional<MergePatch> of(String contentType) {
        return switch (contentType.split(";")[0].strip()) {
            case "application/merge-patch+json" -> Optional.of(MERGE);
            case "application/strategic-merge-patch+json" -> Optional.of(STRATEGIC);
            default -> Optional.empty();
        };
    }

    public ObjectNode apply(ObjectNode target, ObjectNode patch) {
        for (var field : patch.properties()) {
            String name = field.getKey();
            JsonNode value = field.getValue();
            if (this == STRATEGIC && name.startsWith("$")) {
                String list = name.replaceFirst("^\\$setElementOrder/", "");
                if (name.equals("$retainKeys") || (!list.equals(name) && KEYS.containsKey(list))) {
                    continue;
                }
                throw ApiError.badRequest("the simulated API server knows no strategic directive " + name);
            }
            if (value.isNull()) {
                target.remove(name);
            } else if (value instanceof ObjectNode map) {
                ObjectNode below = target.get(name) instanceof ObjectNode present ? present : target.putObject(name);
                apply(below, map);
            } else if (this == STRATEGIC && KEYS.containsKey(name) && value instanceof ArrayNode elements) {
                mergeElements(target.withArrayProperty(name), elements, KEYS.get(name));
            } else {
                target.set(name, value);
            }
        }
        return target;
    }

    /** @param key the field that identifies an element */
    private void mergeElements(ArrayNode present, ArrayNode patch, String key) {
        for (JsonNode element : patch) {
            if (!(element instanceof ObjectNode changed)) {
                throw ApiError.badRequest("an element of this list must be an object");
            }
            int at = 0;
            while (at < present.size() && !present.get(at).path(key).equals(changed.path(key))) {
                at++;
            }
            if (changed.path("$patch").asText("").equals("delete")) {
                present.remove(at);
            } else {
                apply(at == present.size() ? present.addObject() : (ObjectNode) present.get(at), changed);
            }
        }
    }
}
