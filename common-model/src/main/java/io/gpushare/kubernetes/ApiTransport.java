package io.gpushare.kubernetes;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Carries requests to the API server, and its responses back: over HTTP, or within a simulation. */
public interface ApiTransport extends AutoCloseable {
    /**
     * A request.
     *
     * @param body a JSON document; null for none
     * @param deadline for the whole response; null for the connection's own
     */
    @SuppressWarnings("ArrayRecordComponent") // it is carried, and never compared
    record Call(
            String method,
            String path,
            Map<String, String> query,
            byte @Nullable [] body,
            String contentType,
            @Nullable Duration deadline) {}

    /**
     * A response, which its reader closes.
     *
     * @param status of HTTP
     * @param body as it arrives: a watch's one ends with the watch
     */
    record Answer(int status, InputStream body) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            body.close();
        }
    }

    /** Sends the request; throws IOException if there is no response. */
    Answer send(Call call) throws IOException, InterruptedException;

    /** Whether the server's certificate, as of the last response, is for that host. */
    boolean named(String host);

    @Override
    void close();
}
