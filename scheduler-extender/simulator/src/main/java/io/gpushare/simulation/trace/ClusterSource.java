package io.gpushare.simulation.trace;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Responses of the extender's view: from an extender, or from a file that has them one after the other. */
final class ClusterSource implements AutoCloseable {
    private static final List<String> PATHS = List.of("/gpushare-scheduler/v1/nodes", "/gpushare-scheduler/v1/cluster");
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(5);
    private static final Duration RESPONSE_LIMIT = Duration.ofMinutes(1);

    private final Deque<Opening> responses = new ArrayDeque<>();
    private @Nullable HttpClient client;
    private @Nullable JsonParser parser;

    private interface Opening {
        InputStream open() throws IOException, BadInputException;
    }

    private ClusterSource() {}

    static ClusterSource open(String source) throws BadInputException {
        ClusterSource opened = new ClusterSource();
        if (source.startsWith("http://") || source.startsWith("https://")) {
            HttpClient client =
                    HttpClient.newBuilder().connectTimeout(CONNECT_LIMIT).build();
            opened.client = client;
            for (String path : PATHS) {
                URI address = address(source, path);
                opened.responses.add(() -> get(client, address));
            }
        } else {
            Path file = Path.of(source);
            TextFile.check(file);
            opened.responses.add(() -> Files.newInputStream(file));
        }
        return opened;
    }

    /** The next response, or several of them in one stream; null after the last. */
    @Nullable
    JsonParser next() throws IOException, BadInputException {
        close(parser);
        Opening next = responses.poll();
        parser = next == null ? null : new JsonFactory().createParser(next.open());
        return parser;
    }

    private static URI address(String source, String path) throws BadInputException {
        try {
            return URI.create(source.replaceAll("/+$", "") + path);
        } catch (IllegalArgumentException e) {
            throw new BadInputException(
                    "--from-cluster " + source + ": write the extender's address, such as" + " http://localhost:12345");
        }
    }

    private static InputStream get(HttpClient client, URI address) throws IOException, BadInputException {
        HttpRequest request = HttpRequest.newBuilder(address)
                .timeout(RESPONSE_LIMIT)
                .header("Accept", "application/json")
                .build();
        try {
            HttpResponse<InputStream> response = client.send(request, HttpResponse.BodyHandlers.ofInputStream());
            if (response.statusCode() != 200) {
                response.body().close();
                throw new BadInputException(address + " answers with status " + response.statusCode()
                        + ": save its response with kubectl get --raw, and name the file");
            }
            return response.body();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private static void close(@Nullable JsonParser parser) throws IOException {
        if (parser != null) {
            parser.close();
        }
    }

    @Override
    public void close() throws IOException {
        close(parser);
        if (client != null) {
            client.close();
        }
    }
}
