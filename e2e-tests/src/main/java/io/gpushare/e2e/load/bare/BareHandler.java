package io.gpushare.e2e.load.bare;

import io.vertx.core.AbstractVerticle;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A program that responds to POST {@code /<n>} with n bytes after it has read the body. It measures the cost of HTTP
 * alone, with the extender's library and number of event loops. Its one argument is the port.
 */
public final class BareHandler extends AbstractVerticle {
    private static final Map<Integer, Buffer> RESPONSES = new ConcurrentHashMap<>();

    // The extender's chunk size.
    private static final int CHUNK = 64 << 10;

    private final int port;

    private BareHandler(int port) {
        this.port = port;
    }

    public static void main(String[] arguments) {
        int port = Integer.parseInt(arguments[0]);
        Vertx.vertx()
                .deployVerticle(
                        () -> new BareHandler(port),
                        new DeploymentOptions()
                                .setInstances(Runtime.getRuntime().availableProcessors()));
    }

    @Override
    public void start(Promise<Void> started) {
        vertx.createHttpServer(new HttpServerOptions()
                        .setHost("127.0.0.1")
                        .setPort(port)
                        .setMaxChunkSize(CHUNK))
                .requestHandler(BareHandler::respond)
                .listen()
                .<Void>mapEmpty()
                .onComplete(started);
    }

    private static void respond(HttpServerRequest request) {
        int size = Integer.parseInt(request.path().substring(1));
        request.bodyHandler(body -> request.response()
                .putHeader("Content-Type", "application/json")
                .end(RESPONSES.computeIfAbsent(size, bytes -> Buffer.buffer(new byte[bytes]))));
    }
}
