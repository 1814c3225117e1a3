package io.gpushare.kubernetes.wire;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Documents of the API: read as trees, written from maps. A field of another type than expected counts as absent. */
public final class Json {
    // Users write names, nesting and numbers into fields of objects that the API server keeps as they are
    // (managedFields,
    // the parameters of a claim's configuration), and one object that can't be read would end the list of all. So
    // Jackson
    // refuses none of them; Go has bounded them. It must not keep names, nor take long for a number.
    static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
                    .enable(StreamReadFeature.USE_FAST_BIG_NUMBER_PARSER)
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNameLength(Integer.MAX_VALUE)
                            .maxNestingDepth(Integer.MAX_VALUE)
                            .maxNumberLength(Integer.MAX_VALUE)
                            .build())
                    .build())
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .build();

    private Json() {}

    /** Reads one document, and that it ends. */
    public static JsonNode read(InputStream in) throws IOException {
        return MAPPER.reader()
                .with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .readTree(in);
    }

    /** A document of maps, lists and plain values. */
    public static byte[] write(Object document) {
        try {
            return MAPPER.writeValueAsBytes(document);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("maps of plain values always have a JSON form", e);
        }
    }

    /** The text in that field; empty if there is none. */
    public static String text(JsonNode parent, String field) {
        return parent.path(field).asText("");
    }

    /** The text in that field, one instance of each: for names with few distinct values. */
    public static String shared(JsonNode parent, String field) {
        return text(parent, field).intern();
    }

    /** As {@link #shared}; null if there is none. */
    static @Nullable String sharedOrNull(JsonNode parent, String field) {
        String text = shared(parent, field);
        return text.isEmpty() ? null : text;
    }

    /** The time in that field; null if there is none. */
    public static @Nullable Instant time(JsonNode parent, String field) {
        try {
            return Instant.parse(text(parent, field));
        } catch (DateTimeException _) {
            return null;
        }
    }

    /** The texts in the object of that field, by key; keys have one instance. */
    public static Map<String, String> texts(JsonNode parent, String field) {
        Map<String, String> texts = new HashMap<>();
        parent.path(field).properties().forEach(entry -> {
            if (entry.getValue().isValueNode() && !entry.getValue().isNull()) {
                texts.put(
                        entry.getKey().intern(),
                        Objects.requireNonNull(entry.getValue().asText()));
            }
        });
        return texts;
    }
}
