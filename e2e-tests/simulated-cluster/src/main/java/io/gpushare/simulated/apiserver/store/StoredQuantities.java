package io.gpushare.simulated.apiserver.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.gpushare.simulated.client.Quantities;
import java.util.Set;

/** Writes the quantities of an object in the form in which the API server stores them. */
public final class StoredQuantities {
    private static final Set<String> LISTS =
            Set.of("limits", "requests", "capacity", "allocatable", "overhead", "hard", "used");

    private StoredQuantities() {}

    /** Changes the object in its spec and status; throws a 400 for a text that is no quantity. */
    public static ObjectNode in(ObjectNode object) {
        // The amounts of a slice's capacity are objects.
        if (object.path("kind").asText().equals(ApiResource.RESOURCE_SLICES.kind)) {
            return object;
        }
        canonical(object.path("spec"), object);
        canonical(object.path("status"), object);
        return object;
    }

    private static void canonical(JsonNode node, ObjectNode object) {
        for (var field : node.properties()) {
            // The capacity of a claim's request has its amounts one level below.
            if (LISTS.contains(field.getKey())
                    && field.getValue() instanceof ObjectNode list
                    && !list.path("requests").isObject()) {
                list.properties()
                        .forEach(amount ->
                                amount.setValue(canonical(amount.getValue().asText(), object)));
            } else {
                canonical(field.getValue(), object);
            }
        }
        node.elements().forEachRemaining(element -> {
            if (node.isArray()) {
                canonical(element, object);
            }
        });
    }

    private static TextNode canonical(String text, ObjectNode object) {
        try {
            return TextNode.valueOf(Quantities.canonical(text));
        } catch (IllegalArgumentException e) {
            String kind = object.path("kind").asText("object");
            throw ApiError.badRequest(kind + " in version \"v1\" cannot be handled as a " + kind
                    + ": quantities must match the regular expression"
                    + " '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
        }
    }
}
