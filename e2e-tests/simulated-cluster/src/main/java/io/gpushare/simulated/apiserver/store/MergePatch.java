package io.gpushare.simulated.apiserver.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/**
 * JSON merge patch (RFC 7386) and a subset of Kubernetes' strategic merge patch: maps are merged as in a merge patch,
 * lists are replaced, and only {@code conditions} are merged by {@code type}. A strategic patch with a directive
 * ({@code $patch}, {@code $setElementOrder/…}, {@code $retainKeys}) is rejected, except for the element order of
 * conditions, which has no effect.
 */
public enum MergePatch {
    MERGE,
    STRATEGIC;

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
                if (name.equals("$setElementOrder/conditions")) {
                    continue;
                }
                throw ApiError.badRequest("the simulated API server knows no strategic directive " + name);
            }
            if (value.isNull()) {
                target.remove(name);
            } else if (value instanceof ObjectNode map) {
                ObjectNode below = target.get(name) instanceof ObjectNode present ? present : target.putObject(name);
                apply(below, map);
            } else if (this == STRATEGIC && name.equals("conditions") && value instanceof ArrayNode conditions) {
                mergeConditions(target.withArrayProperty(name), conditions);
            } else {
                target.set(name, value);
            }
        }
        return target;
    }

    private void mergeConditions(ArrayNode present, ArrayNode patch) {
        for (JsonNode element : patch) {
            if (!(element instanceof ObjectNode condition)) {
                throw ApiError.badRequest("a condition must be an object");
            }
            ObjectNode same = null;
            for (JsonNode candidate : present) {
                if (candidate.path("type").equals(condition.path("type"))) {
                    same = (ObjectNode) candidate;
                }
            }
            apply(same == null ? present.addObject() : same, condition);
        }
    }
}
