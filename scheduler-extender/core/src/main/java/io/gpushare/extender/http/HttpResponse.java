package io.gpushare.extender.http;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;

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

    /** Sends an error message for users. */
    public static void error(HttpServerRequest request, int status, String sentence) {
        json(request, status, JsonWriter.error(sentence));
    }

    /**
     * Sends the body beside the headers that are set; Vert.x omits it for HEAD. Does nothing if the caller has left.
     */
    public static void send(HttpServerRequest request, int status, String type, Buffer body) {
        if (!request.response().closed()) {
            request.response()
                    .setStatusCode(status)
                    .putHeader(HttpHeaders.CONTENT_TYPE, type)
                    .putHeader(HttpHeaders.CONTENT_LENGTH, String.valueOf(body.length()))
                    .end(body)
                    // Without memory for it, for example: the caller must not wait for the response.
                    .onFailure(failure -> request.connection().close());
        }
    }
}
