package io.gpushare.extender.http;

import io.gpushare.extender.scheduling.Ledger;
import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Which path is what. */
final class Routes implements Handler<HttpServerRequest> {
    private static final Logger LOG = LoggerFactory.getLogger(Routes.class);
    private static final String PREFIX = "/gpushare-scheduler/";
    private static final String INSPECT = PREFIX + "inspect";
    private static final String TEXT = "text/plain; charset=utf-8";
    private static final String JSON = "application/json";

    private final Vertx vertx;
    private final Verbs verbs;
    private final Ledger ledger;
    private final Metrics metrics;
    private final Supplier<Optional<String>> unready;
    private final String version;
    private final int maxBody;

    Routes(
            Vertx vertx,
            Verbs verbs,
            Ledger ledger,
            Metrics metrics,
            Supplier<Optional<String>> unready,
            String version,
            int maxBody) {
        this.vertx = vertx;
        this.verbs = verbs;
        this.ledger = ledger;
        this.metrics = metrics;
        this.unready = unready;
        this.version = version;
        this.maxBody = maxBody;
    }

    @Override
    public void handle(HttpServerRequest request) {
        long began = System.nanoTime();
        String path = request.path();
        switch (path == null ? "" : path) {
            case PREFIX + "filter" ->
                post(request, body -> {
                    answer(request, 200, JSON, verbs.filter(body.getBytes()));
                    metrics.answered("filter", System.nanoTime() - began);
                });
            case PREFIX + "prioritize" ->
                post(request, body -> {
                    prioritize(request, body);
                    metrics.answered("prioritize", System.nanoTime() - began);
                });
            case PREFIX + "bind" -> post(request, body -> bind(request, body, began));
            case INSPECT -> get(request, () -> answer(request, 200, JSON, InspectAnswer.of(ledger.nodes())));
            case "/version" -> get(request, () -> answer(request, 200, TEXT, Buffer.buffer(version + "\n")));
            case "/healthz" -> get(request, () -> answer(request, 200, TEXT, Buffer.buffer("ok\n")));
            case "/readyz" -> get(request, () -> readyz(request));
            case "/metrics" -> get(request, () -> answer(request, 200, Metrics.CONTENT_TYPE, metrics.text()));
            default -> other(request, path == null ? "" : path);
        }
    }

    private void other(HttpServerRequest request, String path) {
        if (path.startsWith(INSPECT + "/")) {
            get(request, () -> inspect(request, path.substring(INSPECT.length() + 1)));
        } else {
            answer(request, 404, JSON, JsonAnswer.error("there is nothing at this path"));
        }
    }

    private void inspect(HttpServerRequest request, String name) {
        Optional<Ledger.NodeView> node = ledger.node(name);
        if (node.isPresent()) {
            answer(request, 200, JSON, InspectAnswer.of(List.of(node.get())));
        } else {
            answer(request, 404, JSON, JsonAnswer.error("node \"" + name + "\" is not known"));
        }
    }

    private void readyz(HttpServerRequest request) {
        Optional<String> why = unready.get();
        answer(request, why.isPresent() ? 503 : 200, TEXT, Buffer.buffer(why.orElse("ok") + "\n"));
    }

    private void prioritize(HttpServerRequest request, Buffer body) {
        try {
            answer(request, 200, JSON, verbs.prioritize(body.getBytes()));
        } catch (BadRequest e) {
            metrics.failed("prioritize", "bad_request");
            answer(request, 400, JSON, JsonAnswer.error(String.valueOf(e.getMessage())));
        }
    }

    private void bind(HttpServerRequest request, Buffer body, long began) {
        Context loop = vertx.getOrCreateContext();
        verbs.bind(
                body.getBytes(),
                result -> loop.runOnContext(nothing -> {
                    answer(request, 200, JSON, result);
                    metrics.answered("bind", System.nanoTime() - began);
                }));
    }

    private static void get(HttpServerRequest request, Runnable then) {
        if (request.method().equals(HttpMethod.GET) || request.method().equals(HttpMethod.HEAD)) {
            then.run();
        } else {
            wrongMethod(request, "GET");
        }
    }

    /** Runs with the whole body once it is there; one that is too large is refused as soon as that is known. */
    private void post(HttpServerRequest request, Handler<Buffer> then) {
        if (!request.method().equals(HttpMethod.POST)) {
            wrongMethod(request, "POST");
            return;
        }
        if (announced(request) > maxBody) {
            tooLarge(request);
            return;
        }
        Buffer body = Buffer.buffer();
        request.handler(chunk -> {
            if (body.length() + (long) chunk.length() > maxBody) {
                request.handler(null).endHandler(null);
                tooLarge(request);
            } else {
                body.appendBuffer(chunk);
            }
        });
        request.endHandler(nothing -> then.handle(body));
        request.exceptionHandler(e -> LOG.debug("a request broke off: {}", e.toString()));
    }

    private static long announced(HttpServerRequest request) {
        String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        // Netty has checked that it is a number.
        return length == null ? 0 : Long.parseLong(length);
    }

    private void tooLarge(HttpServerRequest request) {
        metrics.failed("any", "too_large");
        request.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
        answer(
                request,
                413,
                JSON,
                JsonAnswer.error("the request body is larger than " + maxBody
                        + " bytes; set nodeCacheCapable: true in kube-scheduler's configuration, or raise"
                        + " --max-request-bytes"));
    }

    private static void wrongMethod(HttpServerRequest request, String right) {
        request.response().putHeader(HttpHeaders.ALLOW, right);
        answer(request, 405, JSON, JsonAnswer.error("this path answers to " + right));
    }

    private static void answer(HttpServerRequest request, int status, String type, Buffer body) {
        if (request.response().closed()) {
            return; // the caller did not wait
        }
        request.response().setStatusCode(status).putHeader(HttpHeaders.CONTENT_TYPE, type);
        if (request.method().equals(HttpMethod.HEAD)) {
            request.response().putHeader(HttpHeaders.CONTENT_LENGTH, String.valueOf(body.length()));
            request.response().end();
        } else {
            request.response().end(body);
        }
    }
}
