package io.gpushare.extender.http;

import com.fasterxml.jackson.core.JsonGenerator;
import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Writes JSON token by token. */
public final class JsonWriter {
    /** Writes into the generator. */
    public interface Content {
        void write(JsonGenerator into) throws IOException;
    }

    private JsonWriter() {}

    /**
     * The text as a JSON string. Half of a surrogate pair, which a JSON escape can hold and UTF-8 can't, becomes a
     * question mark.
     */
    public static byte[] quoted(String text) {
        String whole = new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
        return bytes(json -> json.writeString(whole));
    }

    public static Buffer of(Content content) {
        return Buffer.buffer(bytes(content));
    }

    private static byte[] bytes(Content content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator generator = JsonBody.FACTORY.createGenerator(bytes)) {
            content.write(generator);
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return bytes.toByteArray();
    }

    /** {@code {"Error":"…"}}, the response of bind; the empty sentence is success. */
    public static Buffer bind(String error) {
        return field("Error", error);
    }

    /** {@code {"error":"…"}}, for users. */
    public static Buffer error(String sentence) {
        return field("error", sentence);
    }

    private static Buffer field(String name, String text) {
        return of(json -> {
            json.writeStartObject();
            json.writeStringField(name, text);
            json.writeEndObject();
        });
    }
}
