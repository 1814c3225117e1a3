package io.gpushare.insight.routes;

import io.gpushare.extender.http.HttpResponse;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.zip.GZIPOutputStream;

/**
 * Response bodies as clients accept them. The last compressed body is kept: viewers who open the page at the same time
 * get the same one.
 */
final class Gzip {
    private static final int LEAST = 2048;

    private record Compressed(Buffer from, Buffer body) {}

    private volatile Compressed last = new Compressed(Buffer.buffer(), Buffer.buffer());

    static boolean accepted(HttpServerRequest request) {
        return String.valueOf(request.getHeader(HttpHeaders.ACCEPT_ENCODING)).contains("gzip");
    }

    /** Whether the body is large enough. */
    static boolean pays(Buffer body) {
        return body.length() > LEAST;
    }

    /** The body, compressed. Takes about 30 ms for each MiB. */
    @SuppressWarnings("ReferenceEquality") // a body does not change, and comparing the bytes would take long
    Buffer compressed(Buffer body) {
        Compressed known = last;
        if (known.from() == body) {
            return known.body();
        }
        Buffer made = of(body);
        last = new Compressed(body, made);
        return made;
    }

    static Buffer of(Buffer body) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(body.length() / 4);
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(body.getBytes());
        } catch (IOException e) {
            throw new UncheckedIOException("memory accepts every write", e);
        }
        return Buffer.buffer(bytes.toByteArray());
    }

    static void send(HttpServerRequest request, int status, String type, Buffer body, boolean compressed) {
        request.response().putHeader(HttpHeaders.VARY, HttpHeaders.ACCEPT_ENCODING);
        if (compressed) {
            request.response().putHeader(HttpHeaders.CONTENT_ENCODING, "gzip");
        }
        HttpResponse.send(request, status, type, body);
    }
}
