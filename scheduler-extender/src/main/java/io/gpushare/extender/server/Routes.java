package io.gpushare.extender.server;

import io.gpushare.extender.http.HttpResponse;
import io.gpushare.extender.http.RequestBodies;
import io.gpushare.extender.http.RequestBody;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.metrics.ExtenderMetrics;
import io.gpushare.extender.page.ViewRoutes;
import io.gpushare.extender.protocol.VerbHandlers;
import io.gpushare.extender.view.InspectJson;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Which path is what. */
final class Routes implements Handler<HttpServerRequest> {
    private static final Logger LOG = LoggerFactory.getLogger(Routes.class);
    private static final String PREFIX = "/gpushare-scheduler/";
    private static final String INSPECT = PREFIX + "inspect";
    // The kubelet's probes have no certificate, nor has every Prometheus: to such a one no node is named.
    private static final Set<String> OPEN = Set.of("/healthz", "/readyz", "/version", "/metrics");
    private static final String NO_CERTIFICATE = "this path needs a client certificate of the authority in"
            + " --client-ca-file: in kube-scheduler's configuration name one under tlsConfig";

    private final Vertx vertx;
    private final VerbHandlers verbs;
    private final Ledger ledger;
    private final ExtenderMetrics metrics;
    private final Supplier<Optional<String>> unready;
    private final String version;
    private final RequestBodies bodies;
    private final boolean clientsProve;
    private final ViewRoutes views;

    Routes(
            Vertx vertx,
            VerbHandlers verbs,
            Ledger ledger,
            ExtenderMetrics metrics,
            Supplier<Optional<String>> unready,
            String version,
            int maxBody,
            boolean clientsProve,
            ViewRoutes views) {
        this.vertx = vertx;
        this.verbs = verbs;
        this.ledger = ledger;
        this.metrics = metrics;
        this.unready = unready;
        this.version = version;
        this.bodies = new RequestBodies(maxBody);
        this.clientsProve = clientsProve;
        this.views = views;
    }

    @Override
    public void handle(HttpServerRequest request) {
        @Nullable String path = request.path();
        try {
            if (path == null) {
                HttpResponse.error(request, 400, "the request names no path");
            } else if (clientsProve && !OPEN.contains(path) && !views.open(path) && !proven(request)) {
                metrics.failed("any", "no_certificate");
                request.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
                HttpResponse.error(request, 401, NO_CERTIFICATE);
            } else {
                route(request, path);
            }
        } catch (RuntimeException e) {
            failedInside(request, e);
        }
    }

    /** Whether the caller showed a certificate of the client CA; one of another CA does not come through the handshake. */
    private static boolean proven(HttpServerRequest request) {
        try {
            return !request.connection().peerCertificates().isEmpty();
        } catch (SSLPeerUnverifiedException e) {
            return false;
        }
    }

    private void route(HttpServerRequest request, String path) {
        long began = System.nanoTime();
        switch (path) {
            case PREFIX + "filter" ->
                post(request, body -> {
                    HttpResponse.json(request, 200, verbs.filter(body));
                    metrics.answered("filter", System.nanoTime() - began);
                });
            case PREFIX + "prioritize" ->
                post(request, body -> {
                    VerbHandlers.Reply reply = verbs.prioritize(body);
                    HttpResponse.json(request, reply.status(), reply.body());
                    metrics.answered("prioritize", System.nanoTime() - began);
                });
            case PREFIX + "preempt" -> post(request, body -> preempt(request, body, began));
            case PREFIX + "bind" -> post(request, body -> bind(request, body, began));
            case INSPECT -> get(request, () -> HttpResponse.json(request, 200, InspectJson.of(ledger.nodes())));
            case "/version" -> get(request, () -> HttpResponse.text(request, 200, version));
            case "/healthz" -> get(request, () -> HttpResponse.text(request, 200, "ok"));
            case "/readyz" -> get(request, () -> readyz(request));
            case "/metrics" -> get(request, () -> scrape(request));
            default -> other(request, path);
        }
    }

    private void scrape(HttpServerRequest request) {
        boolean names = !clientsProve || proven(request);
        Future.fromCompletionStage(metrics.text(names), vertx.getOrCreateContext())
                .onSuccess(text -> HttpResponse.send(request, 200, ExtenderMetrics.CONTENT_TYPE, text))
                .onFailure(failure -> failedInside(request, failure));
    }

    private void other(HttpServerRequest request, String path) {
        if (path.startsWith(INSPECT + "/")) {
            get(request, () -> inspect(request, path.substring(INSPECT.length() + 1)));
        } else if (views.has(path)) {
            if (ViewRoutes.takesBody(path) && request.method().equals(HttpMethod.POST)) {
                post(request, body -> views.post(request, body.copy()));
            } else {
                get(request, () -> views.get(request, path));
            }
        } else {
            HttpResponse.error(request, 404, HttpResponse.NOTHING_HERE);
        }
    }

    private void inspect(HttpServerRequest request, String name) {
        Optional<Ledger.NodeView> node = ledger.node(name);
        if (node.isPresent()) {
            HttpResponse.json(request, 200, InspectJson.of(List.of(node.get())));
        } else {
            HttpResponse.error(request, 404, "node \"" + name + "\" is not known");
        }
    }

    private void readyz(HttpServerRequest request) {
        Optional<String> why = unready.get();
        HttpResponse.text(request, why.isPresent() ? 503 : 200, why.orElse("ok"));
    }

    private void preempt(HttpServerRequest request, RequestBody body, long began) {
        Context loop = vertx.getOrCreateContext();
        verbs.preempt(
                body,
                reply -> loop.runOnContext(nothing -> {
                    HttpResponse.json(request, reply.status(), reply.body());
                    metrics.answered("preempt", System.nanoTime() - began);
                }));
    }

    private void bind(HttpServerRequest request, RequestBody body, long began) {
        Context loop = vertx.getOrCreateContext();
        verbs.bind(
                body,
                result -> loop.runOnContext(nothing -> {
                    HttpResponse.json(request, 200, result);
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
    private void post(HttpServerRequest request, Handler<RequestBody> then) {
        if (!request.method().equals(HttpMethod.POST)) {
            wrongMethod(request, "POST");
            return;
        }
        bodies.read(
                request,
                body -> {
                    try {
                        then.handle(body);
                    } catch (RuntimeException | OutOfMemoryError e) {
                        // Of memory outside the heap, which answers that nobody takes have; the heap's ends the
                        // process.
                        failedInside(request, e);
                    }
                },
                refusal -> refuse(request, refusal));
    }

    private void refuse(HttpServerRequest request, RequestBodies.Refusal refusal) {
        request.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
        switch (refusal) {
            case TOO_LARGE -> {
                metrics.failed("any", "too_large");
                HttpResponse.error(
                        request,
                        413,
                        "the request body is larger than " + bodies.largest()
                                + " bytes; set nodeCacheCapable: true in kube-scheduler's configuration, or raise"
                                + " --max-request-bytes");
            }
            case TOO_MANY -> {
                metrics.failed("any", "too_many");
                HttpResponse.error(request, 503, "other large requests are being read; try again");
            }
        }
    }

    /** Never an answer without words, nor none at all. */
    private void failedInside(HttpServerRequest request, Throwable e) {
        LOG.error("answering {} {} failed inside", request.method(), request.path(), e);
        metrics.failed("any", "internal");
        if (request.response().headWritten() && !request.response().ended()) {
            // Half an answer is none: who asked sees that it breaks off.
            request.connection().close();
        } else if (!request.response().ended()) {
            HttpResponse.error(request, 500, "the extender failed inside; see its log");
        }
    }

    private static void wrongMethod(HttpServerRequest request, String right) {
        request.response().putHeader(HttpHeaders.ALLOW, right);
        HttpResponse.error(request, 405, "this path answers to " + right);
    }
}
