package io.gpushare.extender.server;

import io.gpushare.extender.http.BodyReader;
import io.gpushare.extender.http.HttpResponse;
import io.gpushare.extender.http.Methods;
import io.gpushare.extender.metrics.ExtenderMetrics;
import io.gpushare.extender.protocol.VerbRoutes;
import io.gpushare.extender.view.InspectedNodes;
import io.gpushare.extender.view.ViewJson;
import io.gpushare.extender.view.routes.ViewRoutes;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Maps paths to handlers: metrics and health, the extender protocol, inspect, and the view with its page. Routes before
 * the certificate check are open to callers without a certificate, such as the kubelet's probes.
 */
final class ExtenderRouter {
    private static final Logger LOG = LoggerFactory.getLogger(ExtenderRouter.class);
    private static final String INSPECT = "/gpushare-scheduler/inspect/";
    private static final String NO_CERTIFICATE = "this path needs a client certificate of the authority in"
            + " --client-ca-file: name one under tlsConfig in kube-scheduler's configuration";

    private final Router router;
    private final ExtenderServer.Settings settings;
    private final ExtenderServer.Parts parts;
    private final ExtenderMetrics metrics;

    private ExtenderRouter(Vertx vertx, ExtenderServer.Settings settings, ExtenderServer.Parts parts) {
        this.router = Router.router(vertx);
        this.settings = settings;
        this.parts = parts;
        this.metrics = parts.verbs().metrics();
    }

    /**
     * The paths of the two ports.
     *
     * @param view the view, for callers with a token
     */
    record Routers(Router all, Router view) {}

    /** @param blocking for what must not run on an event loop */
    static Routers of(Vertx vertx, ExtenderServer.Settings settings, ExtenderServer.Parts parts, Executor blocking) {
        ViewRoutes view = new ViewRoutes(
                vertx, parts.ledger(), parts.view(), parts.verbs().unready(), blocking);
        ExtenderRouter all = new ExtenderRouter(vertx, settings, parts);
        all.add(view, new VerbRoutes(parts.verbs(), blocking));
        ExtenderRouter forTokens = new ExtenderRouter(vertx, settings, parts);
        view.addForTokens(forTokens.router, forTokens.bodies());
        forTokens.errors();
        return new Routers(all.router, forTokens.router);
    }

    private BodyReader bodies() {
        return new BodyReader(settings.maxBody(), reason -> metrics.failed("any", reason));
    }

    private void add(ViewRoutes view, VerbRoutes verbs) {
        BodyReader bodies = bodies();
        status();
        HostCheck hosts = new HostCheck(
                parts.view().hosts().or(name -> parts.ledger().node(name).isPresent()));
        boolean plain = settings.tls() == null;
        if (plain) {
            Stream.of("/ui/*", "/gpushare-scheduler/v1/*", INSPECT + "*")
                    .forEach(path -> router.route(path).handler(hosts));
        }
        if (view.open()) {
            view.addTo(router, bodies);
        }
        if (settings.certificatesRequired()) {
            router.route().handler(this::checkCertificate);
        }
        verbs.addTo(router, bodies, request -> plain ? hosts.refusal(request, "the extender") : Optional.empty());
        Methods.get(router, INSPECT + "*", this::inspect);
        if (!view.open()) {
            view.addTo(router, bodies);
        }
        errors();
    }

    private void errors() {
        router.errorHandler(
                400, context -> HttpResponse.error(context.request(), 400, "the request's path can't be read"));
        router.errorHandler(404, context -> HttpResponse.error(context.request(), 404, HttpResponse.NOTHING_HERE));
        router.errorHandler(500, this::failed);
    }

    private void status() {
        Methods.get(router, "/healthz", context -> HttpResponse.text(context.request(), 200, "ok"));
        Methods.get(
                router,
                "/readyz",
                context -> respond(context, parts.verbs().unready().get()));
        // For the probe of a Deployment whose Service selects the leader: a replica on standby is ready as well.
        Methods.get(
                router,
                "/readyz/replica",
                context -> respond(context, parts.unavailable().get()));
        Methods.get(router, "/version", context -> HttpResponse.text(context.request(), 200, settings.version()));
        Methods.get(router, "/metrics", this::scrape);
    }

    private static void respond(RoutingContext context, Optional<String> why) {
        HttpResponse.text(context.request(), why.isPresent() ? 503 : 200, why.orElse("ok"));
    }

    /** Where certificates are required, metrics name no node to a caller without one. */
    private void scrape(RoutingContext context) {
        boolean names = !settings.certificatesRequired() || certified(context.request());
        Future.fromCompletionStage(metrics.text(names), context.vertx().getOrCreateContext())
                .onSuccess(text -> HttpResponse.send(context.request(), 200, ExtenderMetrics.CONTENT_TYPE, text))
                .onFailure(context::fail);
    }

    private void checkCertificate(RoutingContext context) {
        if (certified(context.request())) {
            context.next();
            return;
        }
        metrics.failed("any", "no_certificate");
        context.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
        HttpResponse.error(context.request(), 401, NO_CERTIFICATE);
    }

    /** Whether the caller has a certificate; one of another authority fails in the handshake. */
    private static boolean certified(HttpServerRequest request) {
        try {
            return !request.connection().peerCertificates().isEmpty();
        } catch (SSLPeerUnverifiedException e) {
            return false;
        }
    }

    /** Not by a parameter in the path: vertx-web logs an error for each name that it can't decode. */
    private void inspect(RoutingContext context) {
        String path = context.normalizedPath();
        String name = path.length() > INSPECT.length() ? path.substring(INSPECT.length()) : "";
        if (name.isEmpty()) {
            HttpResponse.json(
                    context.request(),
                    200,
                    ViewJson.json(InspectedNodes.ofLedger(parts.ledger().nodes())));
            return;
        }
        parts.ledger()
                .node(name)
                .ifPresentOrElse(
                        node -> HttpResponse.json(
                                context.request(), 200, ViewJson.json(InspectedNodes.ofLedger(List.of(node)))),
                        () -> HttpResponse.error(context.request(), 404, "node \"" + name + "\" is not known"));
    }

    /** Reports an internal error. */
    private void failed(RoutingContext context) {
        LOG.error(
                "the response to {} {} failed",
                context.request().method(),
                context.request().path(),
                context.failure());
        metrics.failed("any", "internal");
        if (!context.response().headWritten()) {
            HttpResponse.error(context.request(), 500, "internal error of the extender; see its log");
        }
    }
}
