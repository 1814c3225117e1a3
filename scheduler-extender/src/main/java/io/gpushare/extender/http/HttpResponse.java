package io.gpushare.extender.http;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;

/** How an answer goes out. */
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

    /** The same for JSON that goes out while it is put together, to a POST. */
    public static void json(HttpServerRequest request, int status, ResponseWriter.Content body) {
        if (!request.response().closed()) {
            request.response().setStatusCode(status).putHeader(HttpHeaders.CONTENT_TYPE, JSON);
            if (request.version() == HttpVersion.HTTP_1_0) {
                // Of several pages it sees the end by the connection's alone.
                request.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
            }
            ResponseWriter.send(body, request.response());
        }
    }

    /** Says what is wrong, to people. */
    public static void error(HttpServerRequest request, int status, String sentence) {
        json(request, status, JsonWriter.error(sentence));
    }

    /** Sends it, beside the headers that are set; to HEAD its length alone, and to a caller that did not wait nothing. */
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
