package io.gpushare.extender.http;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.server.ExtenderServer;
import io.gpushare.simulated.patience.Patience;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Request bodies and their shared memory budget, over real connections. */
class BodyReaderTest {
    private static final int LARGEST = 1 << 20;
    private static final int ANNOUNCED = 100_000;

    private final Vertx vertx = Vertx.vertx();
    private final BodyReader bodies = new BodyReader(LARGEST, "send less", reason -> {});
    private int port;

    @BeforeEach
    void listen() throws IOException {
        Router router = Router.router(vertx);
        router.post("/")
                .handler(bodies)
                .handler(context -> context.response().end(Buffer.buffer(BodyReader.body(context))));
        HttpServer server = vertx.createHttpServer().requestHandler(router);
        ExtenderServer.await(
                server.listen(0, "127.0.0.1").onSuccess(listening -> port = listening.actualPort()),
                Patience.of(Patience.USUAL));
    }

    @AfterEach
    void close() throws IOException {
        ExtenderServer.await(vertx.close(), Patience.of(Patience.USUAL));
    }

    /** In pieces, with or without a Content-Length. */
    @Test
    void theBodyIsWhatArrived() throws Exception {
        Random random = new Random(20261126);
        try (HttpClient client = HttpClient.newHttpClient()) {
            for (int i = 0; i < 40; i++) {
                byte[] sent = new byte[random.nextInt(1 << random.nextInt(4, 21))];
                random.nextBytes(sent);
                HttpRequest.BodyPublisher announced = HttpRequest.BodyPublishers.ofByteArray(sent);
                HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port))
                        .POST(random.nextBoolean() ? announced : HttpRequest.BodyPublishers.fromPublisher(announced))
                        .build();
                assertThat(client.send(request, HttpResponse.BodyHandlers.ofByteArray())
                                .body())
                        .isEqualTo(sent);
            }
        }
        await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5)).until(() -> bodies.used() == 0);
    }

    @Test
    void aBodyThatWasReadUsesNoMemory() throws Exception {
        try (Socket socket = announced()) {
            await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5)).until(() -> bodies.used() == ANNOUNCED);
            socket.getOutputStream().write(new byte[ANNOUNCED - 1]);
            assertThat(new String(socket.getInputStream().readNBytes(15), StandardCharsets.US_ASCII))
                    .isEqualTo("HTTP/1.1 200 OK");
            await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5)).until(() -> bodies.used() == 0);
        }
    }

    /** Vert.x reports a reset and a closed connection in different ways. */
    @Test
    void aCallerThatAbortsReturnsExactlyWhatItUsed() throws Exception {
        for (int i = 0; i < 10; i++) {
            long before = bodies.used();
            try (Socket socket = announced()) {
                await().pollDelay(Duration.ZERO)
                        .pollInterval(Duration.ofMillis(5))
                        .until(() -> bodies.used() > before);
                // With linger 0 a reset is sent, not an end.
                socket.setSoLinger(i % 2 == 0, 0);
            }
            await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5)).until(() -> bodies.used() <= before);
        }
        // Nothing that the earlier connections still report changes what one more uses.
        try (Socket socket = announced()) {
            await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5)).until(() -> bodies.used() != 0);
            assertThat(bodies.used()).isEqualTo(ANNOUNCED);
            socket.getOutputStream().write(new byte[ANNOUNCED - 1]);
            await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5)).until(() -> bodies.used() == 0);
        }
    }

    /** A connection on which the first byte of a body was sent. */
    private Socket announced() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        OutputStream out = socket.getOutputStream();
        out.write(("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + ANNOUNCED + "\r\n\r\nx")
                .getBytes(StandardCharsets.US_ASCII));
        out.flush();
        return socket;
    }
}
