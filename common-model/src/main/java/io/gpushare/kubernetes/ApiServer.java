package io.gpushare.kubernetes;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.gpushare.kubernetes.wire.Json;
import io.gpushare.kubernetes.wire.ObjectReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Sends requests to the API server and reads its JSON. */
final class ApiServer implements AutoCloseable {
    // The body of a failure is a small Status.
    private static final int MOST_OF_A_FAILURE = 64 << 10;
    private static final int TOO_LARGE = 413;

    private final ApiTransport transport;

    ApiServer(ApiTransport transport) {
        this.transport = transport;
    }

    /**
     * One request.
     *
     * @param doing what it is for, as the beginning of an error's message
     * @param body null for none
     * @param deadline for the whole response; null for the connection's own
     */
    record Request(
            String doing,
            String method,
            String path,
            Map<String, String> query,
            @Nullable Object body,
            String contentType,
            @Nullable Duration deadline) {
        static Request get(String doing, String path) {
            return new Request(doing, "GET", path, Map.of(), null, "application/json", null);
        }

        static Request post(String doing, String path, Object body) {
            return new Request(doing, "POST", path, Map.of(), body, "application/json", null);
        }

        /** A JSON merge patch. */
        static Request patch(String doing, String path, Object body) {
            return new Request(doing, "PATCH", path, Map.of(), body, "application/merge-patch+json", null);
        }

        /** A strategic merge patch, which leaves the elements of lists that it does not name. */
        static Request strategicPatch(String doing, String path, Object body) {
            return new Request(doing, "PATCH", path, Map.of(), body, "application/strategic-merge-patch+json", null);
        }

        /** The request with one more parameter. */
        Request with(String parameter, Object value) {
            Map<String, String> more = new HashMap<>(query);
            more.put(parameter, value.toString());
            return new Request(doing, method, path, more, body, contentType, deadline);
        }

        /** The request with its own deadline; it fails at once if that has passed. */
        Request within(Duration limit) {
            return new Request(doing, method, path, query, body, contentType, limit);
        }
    }

    /** Reads the body of a response. */
    private interface Reader<T> {
        T read(InputStream body) throws IOException, KubernetesException;
    }

    /** The path with these segments, such as {@code /api/v1/namespaces/ns/pods/p}; names are escaped. */
    static String path(String group, String... segments) {
        return group
                + Stream.of(segments)
                        .map(segment -> "/" + URLEncoder.encode(segment, UTF_8).replace("+", "%20"))
                        .collect(Collectors.joining());
    }

    /** Sends the request and reads the response to its end. */
    JsonNode send(Request request) throws KubernetesException {
        return respond(request, Json::read);
    }

    /** As {@link #send} for a response that any user can make large: it fails with 413 beyond so many bytes. */
    JsonNode send(Request request, int most) throws KubernetesException {
        return respond(request, body -> {
            byte[] bytes = body.readNBytes(most + 1);
            if (bytes.length > most) {
                throw new KubernetesException(
                        TOO_LARGE, request.doing() + ": there are more than " + (most >> 10) + " KiB", null);
            }
            return Json.read(new ByteArrayInputStream(bytes));
        });
    }

    /** As {@link #send}; empty if there is no such object. */
    Optional<JsonNode> find(Request request) throws KubernetesException {
        try {
            return Optional.of(send(request));
        } catch (KubernetesException e) {
            if (e.status() == 404) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** Reads a list, each page of it if the request has a limit, and returns its resourceVersion. */
    String list(Request request, Consumer<JsonNode> each) throws KubernetesException {
        Request page = request;
        while (true) {
            ObjectReader.ListMetadata metadata = respond(page, body -> ObjectReader.list(body, each));
            if (metadata.next().isEmpty()) {
                return metadata.version();
            }
            page = request.with("continue", metadata.next());
        }
    }

    /** Reads the events of a watch until it ends. */
    void watch(Request request, Consumer<JsonNode> each) throws KubernetesException {
        JsonNode error = respond(request.with("watch", true), body -> ObjectReader.events(body, each));
        if (!error.isMissingNode()) {
            throw KubernetesException.rejected(
                    request.doing(), error.path("code").asInt(), error);
        }
    }

    private <T> T respond(Request request, Reader<T> reader) throws KubernetesException {
        try (ApiTransport.Answer answer = transport.send(call(request))) {
            if (answer.status() / 100 != 2) {
                throw KubernetesException.rejected(request.doing(), answer.status(), status(answer));
            }
            return reader.read(answer.body());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw KubernetesException.unanswered(request.doing(), e);
        } catch (IOException e) {
            throw KubernetesException.unanswered(request.doing(), e);
        }
    }

    private static ApiTransport.Call call(Request request) {
        return new ApiTransport.Call(
                request.method(),
                request.path(),
                request.query(),
                request.body() == null ? null : Json.write(request.body()),
                request.contentType(),
                request.deadline());
    }

    /** Whether the server's certificate, as of the last response, is for that host. */
    boolean named(String host) {
        return transport.named(host);
    }

    private static JsonNode status(ApiTransport.Answer answer) throws IOException {
        try {
            return Json.read(new ByteArrayInputStream(answer.body().readNBytes(MOST_OF_A_FAILURE)));
        } catch (JsonProcessingException _) {
            return MissingNode.getInstance();
        }
    }

    @Override
    public void close() {
        transport.close();
    }
}
