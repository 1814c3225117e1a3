package io.gpushare.simulated.apiserver.store;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamWriteConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Parses, writes and reads JSON documents. */
public final class Documents {
    /** As kube-apiserver 1.36.3, which keeps what users write into fields of any form; Go reads 10,000 levels. */
    private static final int LEVELS = 10_000;

    private static final ObjectMapper MAPPER = new ObjectMapper(JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(LEVELS)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .build())
            .streamWriteConstraints(
                    StreamWriteConstraints.builder().maxNestingDepth(LEVELS).build())
            .build());

    private Documents() {}

    public static ObjectNode empty() {
        return MAPPER.createObjectNode();
    }

    /** Parses one JSON object; throws a 400 for other input, as the API server does. */
    public static ObjectNode parse(byte[] bytes) {
        try {
            if (MAPPER.readTree(bytes) instanceof ObjectNode object) {
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
            return MAPPER.writeValueAsBytes(node);
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
