package io.gpushare.e2e.load;

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
 * A program that answers POST {@code /<n>} with n bytes once it has read the body: what HTTP alone costs, on the same
 * library and as many event loops as the extender has. Its one argument is the port.
 */
final class BareHandler extends AbstractVerticle {
    private static final Map<Integer, Buffer> ANSWERS = new ConcurrentHashMap<>();

    // As the extender has it.
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
                .requestHandler(BareHandler::answer)
                .listen()
                .<Void>mapEmpty()
                .onComplete(started);
    }

    private static void answer(HttpServerRequest request) {
        int size = Integer.parseInt(request.path().substring(1));
        request.bodyHandler(body -> request.response()
                .putHeader("Content-Type", "application/json")
                .end(ANSWERS.computeIfAbsent(size, bytes -> Buffer.buffer(new byte[bytes]))));
    }
}
