package io.gpushare.simulated.client;

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

/** The wire over HTTP. */
final class HttpWire implements ApiWire {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final URI server;
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .executor(Executors.newVirtualThreadPerTaskExecutor())
            .build();

    HttpWire(URI server) {
        this.server = server;
    }

    @Override
    public Response send(String method, String path, String contentType, byte[] body)
            throws IOException, InterruptedException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(server.resolve(path)).timeout(TIMEOUT);
        if (contentType.isEmpty()) {
            request.method(method, BodyPublishers.noBody());
        } else {
            request.header("Content-Type", contentType).method(method, BodyPublishers.ofByteArray(body));
        }
        HttpResponse<byte[]> response = http.send(request.build(), BodyHandlers.ofByteArray());
        boolean json = response.headers().firstValue("Content-Type").orElse("").contains("json");
        return new Response(response.statusCode(), json, response.body());
    }

    @Override
    public Stream open(String path) throws IOException, InterruptedException {
        HttpResponse<InputStream> response =
                http.send(HttpRequest.newBuilder(server.resolve(path)).build(), BodyHandlers.ofInputStream());
        return new Stream(response.statusCode(), response.body());
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
