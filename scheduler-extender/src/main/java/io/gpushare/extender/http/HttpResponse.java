package io.gpushare.extender.http;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;

/** Sends responses of each content type. */
public final class HttpResponse {
    public static final String TEXT = "text/plain; charset=utf-8";
    public static final String JSON = "application/json";
    public static final String NOTHING_HERE = "there is nothing at this path";

    private HttpResponse() {}

    public static void text(HttpServerRequest request, int status, String line) {
        send(request, status, TEXT, Buffer.buffer(line + "\n"));
    }

    public static void json(HttpServerRequest request, int status, Buffer body) {
        send(request, status, JSON, body);
    }

    /** Sends JSON as it is written. Not for HEAD. */
    public static void json(HttpServerRequest request, int status, ResponseWriter.Content body) {
        if (!request.response().closed()) {
            request.response().setStatusCode(status).putHeader(HttpHeaders.CONTENT_TYPE, JSON);
            if (request.version() == HttpVersion.HTTP_1_0) {
                // HTTP/1.0 has no chunks: the end of the connection is the end of the response.
                request.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
            }
            // A response that lacks a chunk must not look complete.
            ResponseWriter.send(
                    body, request.response(), failure -> request.connection().close());
        }
    }

    /** Sends an error message for users. */
    public static void error(HttpServerRequest request, int status, String sentence) {
        json(request, status, JsonWriter.error(sentence));
    }

    /**
     * Sends the body beside the headers that are set; for HEAD only its length. Does nothing if the caller has left.
     */
    public static void send(HttpServerRequest request, int status, String type, Buffer body) {
        if (request.response().closed()) {
            return;
        }
        request.response().setStatusCode(status).putHeader(HttpHeaders.CONTENT_TYPE, type);
        if (request.method().equals(HttpMethod.HEAD)) {
            request.response().putHeader(HttpHeaders.CONTENT_LENGTH, String.valueOf(body.length()));
            request.response().end();
        } else {
            request.response().end(body);
        }
    }
}
