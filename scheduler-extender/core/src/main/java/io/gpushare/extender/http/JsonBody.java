package io.gpushare.extender.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads a request body token by token, as Go's encoding/json does: field names in any case, unknown fields skipped,
 * null as an absent value. Errors give the position, never a part of the body.
 */
public final class JsonBody {
    public static final JsonFactory FACTORY = new JsonFactory();

    /**
     * Reads the value of one field, or nothing of it: the parser is at its first token, and afterwards there or at its
     * last.
     */
    public interface Field {
        void take(String name, JsonParser value) throws IOException, BadRequestException;
    }

    private JsonBody() {}

    /** Reads a body that is one object. */
    public static void read(byte[] body, Field field) throws BadRequestException {
        try (JsonParser parser = FACTORY.createParser(body)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new BadRequestException("the request body is not a JSON object");
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                take(parser, (name, value) -> field.take(name.toLowerCase(Locale.ROOT), value));
                parser.skipChildren(); // of a value of which nothing was read
            }
            if (parser.nextToken() != null) {
                throw new BadRequestException("the request body goes on after its JSON object");
            }
        } catch (JsonProcessingException e) {
            @Nullable JsonLocation at = e.getLocation();
            throw new BadRequestException(
                    at == null
                            ? "the request body holds a number, name or nesting beyond any real one"
                            : "the request body is not JSON at byte " + at.getByteOffset());
        } catch (IOException e) {
            throw new BadRequestException("the request body is not JSON in UTF-8");
        }
    }

    /** Reads an object, or null as an object without fields. Field names are passed in lower case. */
    public static void object(JsonParser parser, String what, Field field) throws IOException, BadRequestException {
        entries(parser, what, (name, value) -> field.take(name.toLowerCase(Locale.ROOT), value));
    }

    /** Reads an object that is a map. Keys are passed as written. */
    public static void entries(JsonParser parser, String what, Field entry) throws IOException, BadRequestException {
        if (parser.currentToken() == JsonToken.VALUE_NULL) {
            return;
        }
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            throw new BadRequestException("'" + what + "' is not an object");
        }
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            take(parser, entry);
            parser.skipChildren();
        }
    }

    private static void take(JsonParser parser, Field entry) throws IOException, BadRequestException {
        String name = parser.currentName();
        parser.nextToken();
        entry.take(name, parser);
    }

    /** Reads an array, or null as an empty array; the parser is at the first token of each element. */
    public static void array(JsonParser parser, String what, Field element) throws IOException, BadRequestException {
        if (parser.currentToken() == JsonToken.VALUE_NULL) {
            return;
        }
        if (parser.currentToken() != JsonToken.START_ARRAY) {
            throw new BadRequestException("'" + what + "' is not an array");
        }
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            element.take(what, parser);
            parser.skipChildren();
        }
    }

    /**
     * Keeps the values of string fields.
     *
     * @param into receives the values in the order of the fields
     */
    public static Field strings(String[] into, String... fields) {
        return (name, value) -> {
            for (int i = 0; i < fields.length; i++) {
                if (fields[i].equalsIgnoreCase(name)) {
                    into[i] = string(value, fields[i]);
                }
            }
        };
    }

    /** Reads a string, or a number as its text; returns null for null. */
    public static @Nullable String text(JsonParser parser, String what) throws IOException, BadRequestException {
        JsonToken token = parser.currentToken();
        if (token == JsonToken.VALUE_NULL) {
            return null;
        }
        if (!token.isScalarValue()) {
            throw new BadRequestException("'" + what + "' is not a string");
        }
        return parser.getText();
    }

    /** Reads a whole number; null is 0, as in Go. */
    public static long whole(JsonParser parser, String what) throws IOException, BadRequestException {
        if (parser.currentToken() == JsonToken.VALUE_NULL) {
            return 0;
        }
        if (parser.currentToken() != JsonToken.VALUE_NUMBER_INT) {
            throw new BadRequestException("'" + what + "' is not a whole number");
        }
        return parser.getLongValue();
    }

    /** Reads a string; null is the empty string, as in Go. */
    public static String string(JsonParser parser, String what) throws IOException, BadRequestException {
        @Nullable String text = text(parser, what);
        return text == null ? "" : text;
    }
}
