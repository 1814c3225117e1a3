package io.gpushare.simulated.scheduler;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** The extender over HTTP. */
final class HttpExtender implements ExtenderWire {
    private final URI urlPrefix;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    HttpExtender(URI urlPrefix) {
        this.urlPrefix = urlPrefix;
    }

    @Override
    public Response call(String verb, byte[] body, Duration timeout) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(urlPrefix + "/" + verb))
                .timeout(timeout)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                .build();
        HttpResponse<byte[]> response = http.send(request, HttpResponse.BodyHandlers.ofByteArray());
        return new Response(response.statusCode(), response.body());
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
