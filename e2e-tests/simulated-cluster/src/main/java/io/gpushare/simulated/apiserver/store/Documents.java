package io.gpushare.simulated.apiserver.store;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.client.ApiJson;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Parses, writes and reads JSON documents. */
public final class Documents {
    private Documents() {}

    public static ObjectNode empty() {
        return ApiJson.MAPPER.createObjectNode();
    }

    /** Parses one JSON object; throws a 400 for other input, as the API server does. */
    public static ObjectNode parse(byte[] bytes) {
        try {
            if (ApiJson.MAPPER.readTree(bytes) instanceof ObjectNode object) {
                return object;
            }
        } catch (JsonProcessingException e) {
            throw ApiError.badRequest("the body is not JSON: " + e.getOriginalMessage());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        throw ApiError.badRequest("the body must be one JSON object");
    }

    public static byte[] bytes(JsonNode node) {
        try {
            return ApiJson.MAPPER.writeValueAsBytes(node);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The text at a dotted path; empty if absent. */
    public static String text(JsonNode document, String path) {
        JsonNode at = document;
        for (String step : path.split("\\.")) {
            at = at.path(step);
        }
        return at.asText("");
    }

    public static ObjectNode metadata(ObjectNode document) {
        return document.withObjectProperty("metadata");
    }
}
