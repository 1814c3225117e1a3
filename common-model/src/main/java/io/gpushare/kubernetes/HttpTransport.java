package io.gpushare.kubernetes;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.Pair;
import java.io.IOException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import okhttp3.Handshake;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * Requests over HTTP. The client library configures and authenticates the connection. Its models are not used: they
 * hold every field (50,000 pods take 5 GiB to read), and reject what a newer server adds.
 */
final class HttpTransport implements ApiTransport {
    // The type of a DNS name among a certificate's names.
    private static final Integer DNS_NAME = 2;

    private final ApiClient client;
    private final Duration deadline;
    private volatile @Nullable X509Certificate certificate;

    /** @param deadline of a request without its own */
    HttpTransport(ApiClient client, Duration deadline) {
        this.client = client;
        this.deadline = deadline;
    }

    @Override
    public Answer send(Call call) throws IOException, InterruptedException {
        Response response = execute(prepared(call));
        @Nullable Handshake tls = response.handshake();
        // None of a server that is not verified.
        if (tls != null
                && !tls.peerCertificates().isEmpty()
                && tls.peerCertificates().getFirst() instanceof X509Certificate presented) {
            certificate = presented;
        }
        return new Answer(response.code(), response.body().byteStream());
    }

    /** OkHttp is Kotlin code, and throws InterruptedException without declaring it. */
    private static Response execute(okhttp3.Call call) throws IOException, InterruptedException {
        return call.execute();
    }

    private okhttp3.Call prepared(Call request) throws IOException {
        List<Pair> query = request.query().entrySet().stream()
                .map(entry -> new Pair(entry.getKey(), entry.getValue()))
                .toList();
        Map<String, String> headers =
                new HashMap<>(Map.of("Accept", "application/json", "Content-Type", request.contentType()));
        try {
            okhttp3.Call call = client.buildCall(
                    client.getBasePath(),
                    request.path(),
                    request.method(),
                    query,
                    List.of(),
                    request.body(),
                    headers,
                    new HashMap<>(),
                    Map.of(),
                    new String[] {"BearerToken"},
                    null);
            Duration limit = request.deadline() == null ? deadline : request.deadline();
            call.timeout().timeout(Math.max(1, limit.toMillis()), TimeUnit.MILLISECONDS);
            return call;
        } catch (ApiException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    @Override
    public boolean named(String host) {
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

    @Override
    public void close() {
        client.getHttpClient().dispatcher().executorService().shutdown();
        client.getHttpClient().connectionPool().evictAll();
    }
}
