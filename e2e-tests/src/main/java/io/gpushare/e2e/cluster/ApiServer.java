package io.gpushare.e2e.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.gpushare.simulated.patience.Patience;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Base64;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A direct connection to a cluster's API server as its administrator, for frequent calls and for calls while the server
 * may be unavailable. It is safe for use by many threads.
 */
public final class ApiServer implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration TIMEOUT = Duration.ofSeconds(4);

    /** The status code and the body of a response. */
    public record Response(int code, JsonNode body) {
        public boolean succeeded() {
            return code / 100 == 2;
        }
    }

    private final URI server;
    private final String token;
    private final HttpClient http;

    private ApiServer(URI server, String token, HttpClient http) {
        this.server = server;
        this.token = token;
        this.http = http;
    }

    /** Connects with the kubeconfig of that kubectl, whose user must have a token. */
    public static ApiServer of(Kubectl kubectl) {
        JsonNode config = kubectl.json("config", "view", "--raw", "--minify");
        JsonNode cluster = config.at("/clusters/0/cluster");
        byte[] authority = Base64.getDecoder()
                .decode(cluster.path("certificate-authority-data").textValue());
        HttpClient http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(TIMEOUT)
                .sslContext(trusting(authority))
                .build();
        return new ApiServer(
                URI.create(cluster.path("server").textValue()),
                config.at("/users/0/user/token").textValue(),
                http);
    }

    /** The same server as another user, over the same connections. */
    public ApiServer withToken(String other) {
        return new ApiServer(server, other, http);
    }

    private static SSLContext trusting(byte[] authority) {
        try {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            store.setCertificateEntry(
                    "cluster",
                    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(authority)));
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, factory.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("the cluster's certificate authority can't be used", e);
        }
    }

    /** The address of the API server's node, reachable from this machine. */
    public String host() {
        return server.getHost();
    }

    public Response get(String path) throws IOException {
        return send("GET", path, "");
    }

    /**
     * Sends one request and waits a few seconds for the response.
     *
     * @throws IOException if there is no response; the request may have been executed
     */
    public Response send(String method, String path, String body) throws IOException {
        HttpRequest request = HttpRequest.newBuilder(server.resolve(path))
                .timeout(Patience.of(TIMEOUT))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", method.equals("PATCH") ? "application/merge-patch+json" : "application/json")
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                .build();
        try {
            HttpResponse<byte[]> response = http.send(request, BodyHandlers.ofByteArray());
            return new Response(response.statusCode(), JSON.readTree(response.body()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
