package io.gpushare.model.codec;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.model.text.Printable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Strict parsing of the small JSON documents in annotations. Every error names its field. */
final class JsonReader {
    // Field names contain card IDs, which would fill Jackson's table of canonical names.
    static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
                    .build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    /** An invalid document; the message is for the user. */
    static final class Malformed extends RuntimeException {
        private static final long serialVersionUID = 1;

        Malformed(String reason) {
            super(reason);
        }
    }

    private JsonReader() {}

    static String write(ObjectNode document) {
        try {
            return MAPPER.writeValueAsString(document);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of plain values always has a JSON form", e);
        }
    }

    static JsonNode read(String text) {
        try {
            JsonNode document = MAPPER.readTree(text);
            if (!document.isObject()) {
                throw new Malformed("it is not a JSON object");
            }
            return document;
        } catch (JsonProcessingException e) {
            throw new Malformed("it is not JSON: " + e.getOriginalMessage());
        }
    }

    static void version(JsonNode document, int known) {
        int version = integer(document, "version");
        if (version != known) {
            throw new Malformed("version " + version + " is not supported; this program reads version " + known);
        }
    }

    static int integer(JsonNode parent, String field) {
        JsonNode value = parent.path(field);
        if (!value.isInt() || value.intValue() < 0) {
            throw new Malformed(Printable.quoted(field) + " must be a whole number, not negative");
        }
        return value.intValue();
    }

    static String text(JsonNode parent, String field) {
        @Nullable String value = optionalText(parent, field);
        if (value == null) {
            throw new Malformed("'" + field + "' is missing");
        }
        return value;
    }

    static @Nullable String optionalText(JsonNode parent, String field) {
        JsonNode value = parent.path(field);
        if (value.isMissingNode() || value.isNull()) {
            return null;
        }
        if (!value.isTextual()) {
            throw new Malformed("'" + field + "' must be a string");
        }
        return value.textValue();
    }

    static @Nullable Boolean optionalBoolean(JsonNode parent, String field) {
        JsonNode value = parent.path(field);
        if (value.isMissingNode() || value.isNull()) {
            return null;
        }
        if (!value.isBoolean()) {
            throw new Malformed("'" + field + "' must be true or false");
        }
        return value.booleanValue();
    }

    static @Nullable Integer optionalInteger(JsonNode parent, String field) {
        return parent.path(field).isMissingNode() || parent.path(field).isNull() ? null : integer(parent, field);
    }

    /** The elements of an array of strings; none if the field is missing. */
    static List<String> texts(JsonNode parent, String field) {
        JsonNode value = parent.path(field);
        List<String> texts = new ArrayList<>();
        for (JsonNode element : value) {
            texts.add(element.textValue());
        }
        if ((!value.isMissingNode() && !value.isArray()) || texts.contains(null)) {
            throw new Malformed("'" + field + "' must be an array of strings");
        }
        return texts;
    }

    /** The elements of an array of whole numbers; none if the field is missing. */
    static List<Integer> integers(JsonNode parent, String field) {
        JsonNode value = parent.path(field);
        List<Integer> integers = value.valueStream()
                .filter(JsonNode::isInt)
                .map(JsonNode::intValue)
                .toList();
        if (integers.size() != value.size() || !(value.isMissingNode() || value.isArray())) {
            throw new Malformed("'" + field + "' must be an array of whole numbers");
        }
        return integers;
    }

    /** The elements of an array of any number of objects. */
    static Iterable<JsonNode> objects(JsonNode parent, String field) {
        return objects(parent, field, Integer.MAX_VALUE);
    }

    /** The elements of an array of at most that many objects. */
    static Iterable<JsonNode> objects(JsonNode parent, String field, int most) {
        JsonNode value = parent.path(field);
        if (!value.isArray()) {
            throw new Malformed("'" + field + "' must be an array");
        }
        if (value.size() > most) {
            throw new Malformed("'" + field + "' has " + value.size() + " elements, and more than " + most
                    + " are not accepted: find out what wrote them, and offer fewer on this node");
        }
        for (Iterator<JsonNode> elements = value.elements(); elements.hasNext(); ) {
            if (!elements.next().isObject()) {
                throw new Malformed("'" + field + "' must hold objects only");
            }
        }
        return value;
    }
}
