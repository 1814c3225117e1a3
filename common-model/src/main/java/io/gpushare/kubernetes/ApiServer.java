package io.gpushare.kubernetes;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.gpushare.kubernetes.wire.Json;
import io.gpushare.kubernetes.wire.ObjectReader;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.Pair;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import okhttp3.Call;
import okhttp3.Handshake;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to the API server and reads its JSON. The client library configures and authenticates the connection.
 * Its models are not used: they hold every field (50,000 pods take 5 GiB to read), and reject what a newer server adds.
 */
final class ApiServer implements AutoCloseable {
    // The body of a failure is a small Status.
    private static final long MOST_OF_A_FAILURE = 64 << 10;
    private static final int TOO_LARGE = 413;
    // The type of a DNS name among a certificate's names.
    private static final Integer DNS_NAME = 2;

    private final ApiClient client;
    private final Duration deadline;
    private volatile @Nullable X509Certificate certificate;

    /** @param deadline of a request without its own */
    ApiServer(ApiClient client, Duration deadline) {
        this.client = client;
        this.deadline = deadline;
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
        try (Response response = execute(call(request))) {
            @Nullable Handshake tls = response.handshake();
            // None of a server that is not verified.
            if (tls != null
                    && !tls.peerCertificates().isEmpty()
                    && tls.peerCertificates().getFirst() instanceof X509Certificate presented) {
                certificate = presented;
            }
            if (!response.isSuccessful()) {
                throw KubernetesException.rejected(request.doing(), response.code(), status(response));
            }
            return reader.read(response.body().byteStream());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw KubernetesException.unanswered(request.doing(), e);
        } catch (IOException | ApiException e) {
            throw KubernetesException.unanswered(request.doing(), e);
        }
    }

    /** OkHttp is Kotlin code, and throws InterruptedException without declaring it. */
    private static Response execute(Call call) throws IOException, InterruptedException {
        return call.execute();
    }

    private Call call(Request request) throws ApiException {
        List<Pair> query = request.query().entrySet().stream()
                .map(entry -> new Pair(entry.getKey(), entry.getValue()))
                .toList();
        Map<String, String> headers =
                new HashMap<>(Map.of("Accept", "application/json", "Content-Type", request.contentType()));
        Call call = client.buildCall(
                client.getBasePath(),
                request.path(),
                request.method(),
                query,
                List.of(),
                request.body() == null ? null : Json.write(request.body()),
                headers,
                new HashMap<>(),
                Map.of(),
                new String[] {"BearerToken"},
                null);
        Duration limit = request.deadline() == null ? deadline : request.deadline();
        call.timeout().timeout(Math.max(1, limit.toMillis()), TimeUnit.MILLISECONDS);
        return call;
    }

    /** Whether the server's certificate, as of the last response, is for that host. */
    boolean named(String host) {
        @Nullable X509Certificate presented = certificate;
        return presented != null && includes(presented, host);
    }

    /** Whether the certificate was issued for that host, in lower case (RFC 6125); {@code *.} stands for one label. */
    private static boolean includes(X509Certificate certificate, String host) {
        String wildcard = "*" + host.substring(Math.max(0, host.indexOf('.')));
        try {
            return Objects.requireNonNullElse(certificate.getSubjectAlternativeNames(), List.<List<?>>of()).stream()
                    .filter(name -> name.getFirst().equals(DNS_NAME))
                    .map(name -> String.valueOf(name.getLast()))
                    .anyMatch(name -> name.equalsIgnoreCase(host) || name.equalsIgnoreCase(wildcard));
        } catch (CertificateParsingException _) {
            return false;
        }
    }

    private static JsonNode status(Response response) throws IOException {
        try (InputStream body = response.peekBody(MOST_OF_A_FAILURE).byteStream()) {
            return Json.read(body);
        } catch (JsonProcessingException _) {
            return MissingNode.getInstance();
        }
    }

    @Override
    public void close() {
        client.getHttpClient().dispatcher().executorService().shutdown();
        client.getHttpClient().connectionPool().evictAll();
    }
}
