package io.gpushare.extender.http;

import com.fasterxml.jackson.core.JsonGenerator;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Writes JSON into a buffer, token by token. */
public final class JsonWriter {
    /** Writes into the generator. */
    public interface Content {
        void write(JsonGenerator into) throws IOException;
    }

    private static final class Appending extends OutputStream {
        private final Buffer bytes;

        Appending(Buffer bytes) {
            this.bytes = bytes;
        }

        @Override
        public void write(int one) {
            bytes.appendByte((byte) one);
        }

        @Override
        public void write(byte[] some, int from, int length) {
            bytes.appendBytes(some, from, length);
        }
    }

    private JsonWriter() {}

    /**
     * The text as a JSON string. Half of a surrogate pair, which a JSON escape can hold and UTF-8 can't, becomes a
     * question mark.
     */
    public static byte[] quoted(String text) {
        String whole = new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
        return of(json -> json.writeString(whole)).getBytes();
    }

    public static Buffer of(Content content) {
        return of(512, content);
    }

    /** Writes the content into a buffer of that expected size in bytes. */
    public static Buffer of(int size, Content content) {
        Buffer bytes = Buffer.buffer(size);
        try (JsonGenerator generator = JsonBody.FACTORY.createGenerator(new Appending(bytes))) {
            content.write(generator);
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return bytes;
    }

    /** {@code {"Error":"…"}}, the response of bind; the empty sentence is success. */
    public static Buffer bind(String error) {
        return of(json -> {
            json.writeStartObject();
            json.writeStringField("Error", error);
            json.writeEndObject();
        });
    }

    /** {@code {"error":"…"}}, for users. */
    public static Buffer error(String sentence) {
        return of(json -> {
            json.writeStartObject();
            json.writeStringField("error", sentence);
            json.writeEndObject();
        });
    }
}
