package io.gpushare.extender.http;

import com.fasterxml.jackson.core.JsonGenerator;
import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Writes an answer as bytes, without a tree between. */
final class JsonAnswer {
    /** Writes into the generator. */
    interface Content {
        void write(JsonGenerator into) throws IOException;
    }

    private JsonAnswer() {}

    static Buffer of(Content content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
        try (JsonGenerator generator = JsonBody.FACTORY.createGenerator(bytes)) {
            content.write(generator);
        } catch (IOException e) {
            throw new UncheckedIOException("memory takes all that is written to it", e);
        }
        return Buffer.buffer(bytes.toByteArray());
    }

    /** {@code {"Error":"…"}}, the answer of bind; the empty sentence is success. */
    static Buffer bind(String error) {
        return of(json -> {
            json.writeStartObject();
            json.writeStringField("Error", error);
            json.writeEndObject();
        });
    }

    /** {@code {"error":"…"}}, for people. */
    static Buffer error(String sentence) {
        return of(json -> {
            json.writeStartObject();
            json.writeStringField("error", sentence);
            json.writeEndObject();
        });
    }
}
