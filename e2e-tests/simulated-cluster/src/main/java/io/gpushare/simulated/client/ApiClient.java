package io.gpushare.simulated.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** A JSON client of an API server, safe for use by many threads. */
public final class ApiClient implements AutoCloseable {
    /** A response; the document is empty if the body is not a JSON object. */
    public record Answer(int code, ObjectNode document) {
        public boolean succeeded() {
            return code / 100 == 2;
        }

        /** The Status message of an error. */
        public String message() {
            return document.path("message").asText("HTTP " + code);
        }
    }

    private final ApiWire wire;

    public ApiClient(URI server) {
        this(new HttpWire(server));
    }

    public ApiClient(ApiWire wire) {
        this.wire = wire;
    }

    public static ObjectNode document() {
        return ApiJson.MAPPER.createObjectNode();
    }

    /** Parses one JSON object; throws if the text is malformed. */
    public static ObjectNode document(String json) {
        try {
            return (ObjectNode) ApiJson.MAPPER.readTree(json);
        } catch (IOException | ClassCastException e) {
            throw new IllegalArgumentException("not a JSON object: " + json, e);
        }
    }

    public Answer get(String path) throws IOException, InterruptedException {
        return send("GET", path, "", new byte[0]);
    }

    public Answer post(String path, JsonNode body) throws IOException, InterruptedException {
        return send("POST", path, body);
    }

    public Answer put(String path, JsonNode body) throws IOException, InterruptedException {
        return send("PUT", path, body);
    }

    /** A strategic merge patch, as the kubelet and kube-scheduler send it. */
    public Answer patch(String path, JsonNode body) throws IOException, InterruptedException {
        return patch(path, body, "application/strategic-merge-patch+json");
    }

    public Answer patch(String path, JsonNode body, String contentType) throws IOException, InterruptedException {
        return send("PATCH", path, contentType, bytes(body));
    }

    public Answer delete(String path, JsonNode options) throws IOException, InterruptedException {
        return send("DELETE", path, options);
    }

    /** Opens a watch: a GET without a time limit whose body is read as it arrives. */
    ApiWire.Stream open(String path) throws IOException, InterruptedException {
        return wire.open(path);
    }

    private Answer send(String method, String path, JsonNode body) throws IOException, InterruptedException {
        return send(method, path, "application/json", bytes(body));
    }

    private static byte[] bytes(JsonNode body) {
        return body.toString().getBytes(StandardCharsets.UTF_8);
    }

    private Answer send(String method, String path, String contentType, byte[] body)
            throws IOException, InterruptedException {
        ApiWire.Response response = wire.send(method, path, contentType, body);
        JsonNode document = response.json() ? ApiJson.MAPPER.readTree(response.body()) : ApiJson.MAPPER.missingNode();
        return new Answer(response.code(), document instanceof ObjectNode object ? object : document());
    }

    @Override
    public void close() {
        wire.close();
    }
}
