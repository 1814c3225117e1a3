package io.gpushare.e2e.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
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
 * The API server of a cluster, called directly as its administrator: for those who call it often, or while it may be away.
 * May be used by many threads.
 */
public final class ApiServer implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration PATIENCE = Duration.ofSeconds(4);

    /** What came back. */
    public record Answer(int code, JsonNode body) {
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

    /** By what that kubectl has of the cluster; the administrator must have a token. */
    public static ApiServer of(Kubectl kubectl) {
        JsonNode config = kubectl.json("config", "view", "--raw", "--minify");
        JsonNode cluster = config.at("/clusters/0/cluster");
        byte[] authority = Base64.getDecoder()
                .decode(cluster.path("certificate-authority-data").textValue());
        HttpClient http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(PATIENCE)
                .sslContext(trusting(authority))
                .build();
        return new ApiServer(
                URI.create(cluster.path("server").textValue()),
                config.at("/users/0/user/token").textValue(),
                http);
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

    /** The address under which the node of the API server is reached from here. */
    public String host() {
        return server.getHost();
    }

    public Answer get(String path) throws IOException {
        return send("GET", path, "");
    }

    /**
     * Sends one request and waits a few seconds for its answer.
     *
     * @throws IOException where none came: then it may have been carried out or not
     */
    public Answer send(String method, String path, String body) throws IOException {
        HttpRequest request = HttpRequest.newBuilder(server.resolve(path))
                .timeout(PATIENCE)
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                .build();
        try {
            HttpResponse<byte[]> answer = http.send(request, BodyHandlers.ofByteArray());
            return new Answer(answer.statusCode(), JSON.readTree(answer.body()));
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
