package io.gpushare.simulated.apiserver;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.apiserver.store.Documents;
import java.nio.charset.StandardCharsets;

/**
 * One request as the server received it.
 *
 * @param uri the path with its query, still encoded
 * @param contentType empty for a request without a body
 */
public record ApiRequest(String method, String uri, String contentType, String body) {
    public String path() {
        int query = uri.indexOf('?');
        return query < 0 ? uri : uri.substring(0, query);
    }

    /** Whether the method is the given one and the path ends as given. */
    public boolean is(String method, String pathEnd) {
        return this.method.equals(method) && path().endsWith(pathEnd);
    }

    /** The body as a JSON object. */
    public ObjectNode json() {
        return Documents.parse(body.getBytes(StandardCharsets.UTF_8));
    }

    /** Method, URI, content type and body, separated by spaces. */
    @Override
    public String toString() {
        return method + " " + uri + (contentType.isEmpty() ? "" : " " + contentType) + " " + body;
    }
}
