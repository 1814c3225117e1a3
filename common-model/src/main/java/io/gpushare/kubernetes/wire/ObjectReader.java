package io.gpushare.kubernetes.wire;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.filter.FilteringParserDelegate;
import com.fasterxml.jackson.core.filter.TokenFilter.Inclusion;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.Consumer;

/**
 * Reads the objects of a list or a watch one by one while they arrive, so the memory that it takes does not depend on what
 * others write into them.
 */
public final class ObjectReader {
    /**
     * What a list says about itself.
     *
     * @param next the token of the next page; empty for the last
     */
    public record ListMetadata(String version, String next) {}

    private ObjectReader() {}

    /** Reads a list, or a page of one. */
    public static ListMetadata list(InputStream in, Consumer<JsonNode> each) throws IOException {
        ListMetadata metadata = new ListMetadata("", "");
        try (JsonParser parser = parser(in)) {
            while (parser.nextToken() != null) {
                if (parser.currentToken() == JsonToken.START_ARRAY) {
                    while (parser.nextToken() != JsonToken.END_ARRAY) {
                        each.accept(Json.MAPPER.readTree(parser));
                    }
                } else if ("metadata".equals(parser.currentName()) && parser.currentToken() == JsonToken.START_OBJECT) {
                    JsonNode tree = Json.MAPPER.readTree(parser);
                    metadata = new ListMetadata(Json.text(tree, "resourceVersion"), Json.text(tree, "continue"));
                }
            }
        }
        return metadata;
    }

    /** Reads the events of a watch until it ends. Returns the Status of an error, which is its last event; missing for none. */
    public static JsonNode events(InputStream in, Consumer<JsonNode> each) throws IOException {
        try (JsonParser parser = parser(in)) {
            while (parser.nextToken() != null) {
                JsonNode event = Json.MAPPER.readTree(parser);
                if (Json.text(event, "type").equals("ERROR")) {
                    return event.path("object");
                }
                each.accept(event);
            }
        }
        return MissingNode.getInstance();
    }

    private static JsonParser parser(InputStream in) throws IOException {
        return new FilteringParserDelegate(
                Json.MAPPER.createParser(in), Fields.OF_OBJECTS, Inclusion.INCLUDE_ALL_AND_PATH, true);
    }
}
