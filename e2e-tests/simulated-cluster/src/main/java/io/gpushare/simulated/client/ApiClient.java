package io.gpushare.simulated.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.Executors;

/** A JSON client of an API server, safe for use by many threads. */
public final class ApiClient implements AutoCloseable {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

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

    private final URI server;
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .executor(Executors.newVirtualThreadPerTaskExecutor())
            .build();

    public ApiClient(URI server) {
        this.server = server;
    }

    public static ObjectNode document() {
        return MAPPER.createObjectNode();
    }

    /** Parses one JSON object; throws if the text is malformed. */
    public static ObjectNode document(String json) {
        try {
            return (ObjectNode) MAPPER.readTree(json);
        } catch (IOException | ClassCastException e) {
            throw new IllegalArgumentException("not a JSON object: " + json, e);
        }
    }

    public Answer get(String path) throws IOException, InterruptedException {
        return send(request(path).GET());
    }

    public Answer post(String path, JsonNode body) throws IOException, InterruptedException {
        return send(request(path)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body.toString())));
    }

    public Answer put(String path, JsonNode body) throws IOException, InterruptedException {
        return send(
                request(path).header("Content-Type", "application/json").PUT(BodyPublishers.ofString(body.toString())));
    }

    /** A strategic merge patch, as the kubelet and kube-scheduler send it. */
    public Answer patch(String path, JsonNode body) throws IOException, InterruptedException {
        return patch(path, body, "application/strategic-merge-patch+json");
    }

    public Answer patch(String path, JsonNode body, String contentType) throws IOException, InterruptedException {
        return send(request(path)
                .header("Content-Type", contentType)
                .method("PATCH", BodyPublishers.ofString(body.toString())));
    }

    public Answer delete(String path, JsonNode options) throws IOException, InterruptedException {
        return send(request(path)
                .header("Content-Type", "application/json")
                .method("DELETE", BodyPublishers.ofString(options.toString())));
    }

    /** Opens a watch: a GET without a time limit whose body is read as it arrives. */
    HttpResponse<InputStream> open(String path) throws IOException, InterruptedException {
        return http.send(HttpRequest.newBuilder(server.resolve(path)).build(), BodyHandlers.ofInputStream());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(server.resolve(path)).timeout(TIMEOUT);
    }

    private Answer send(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<byte[]> response = http.send(request.build(), BodyHandlers.ofByteArray());
        boolean json = response.headers().firstValue("Content-Type").orElse("").contains("json");
        JsonNode body = json ? MAPPER.readTree(response.body()) : MAPPER.missingNode();
        return new Answer(response.statusCode(), body instanceof ObjectNode object ? object : document());
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
