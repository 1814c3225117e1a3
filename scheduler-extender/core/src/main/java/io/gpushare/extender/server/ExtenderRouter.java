package io.gpushare.extender.server;

import io.gpushare.extender.http.BodyReader;
import io.gpushare.extender.http.HttpResponse;
import io.gpushare.extender.http.Methods;
import io.gpushare.extender.protocol.RequestObserver;
import io.gpushare.extender.protocol.VerbRoutes;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Maps paths to handlers: health, the extender protocol, and those of the extension. Routes before the certificate
 * check are open to callers without a certificate, such as the kubelet's probes.
 */
final class ExtenderRouter {
    private static final Logger LOG = LoggerFactory.getLogger(ExtenderRouter.class);
    private static final String NO_CERTIFICATE = "this path needs a client certificate of the authority in"
            + " --client-ca-file: name one under tlsConfig in kube-scheduler's configuration";

    private final Router router;
    private final ExtenderServer.Settings settings;
    private final ExtenderServer.Parts parts;
    private final RequestObserver requests;

    private ExtenderRouter(Vertx vertx, ExtenderServer.Settings settings, ExtenderServer.Parts parts) {
        this.router = Router.router(vertx);
        this.settings = settings;
        this.parts = parts;
        this.requests = parts.verbs().requests();
    }

    /**
     * The paths of the two ports.
     *
     * @param view the view, for callers with a token
     */
    record Routers(Router all, Router view) {}

    /** @param blocking for what must not run on an event loop */
    static Routers of(Vertx vertx, ExtenderServer.Settings settings, ExtenderServer.Parts parts, Executor blocking) {
        Extension.Paths paths = parts.extension().paths(vertx, blocking);
        ExtenderRouter all = new ExtenderRouter(vertx, settings, parts);
        all.add(paths, new VerbRoutes(parts.verbs(), blocking));
        ExtenderRouter forTokens = new ExtenderRouter(vertx, settings, parts);
        paths.addForTokens(forTokens.router);
        forTokens.errors();
        return new Routers(all.router, forTokens.router);
    }

    private void add(Extension.Paths paths, VerbRoutes verbs) {
        BodyReader bodies = new BodyReader(
                settings.maxBody(),
                "set nodeCacheCapable: true in kube-scheduler's configuration, or raise --max-request-bytes",
                reason -> requests.failed("any", reason));
        status();
        HostCheck hosts = new HostCheck(parts.hosts().or(parts.ledger()::knowsNode));
        boolean plain = settings.tls() == null;
        if (plain) {
            paths.underKnownHosts().forEach(path -> router.route(path).handler(hosts));
        }
        paths.addOpen(
                router, request -> !settings.certificatesRequired() || Connections.certified(request.connection()));
        if (settings.certificatesRequired()) {
            router.route().handler(this::checkCertificate);
        }
        verbs.addTo(router, bodies, request -> plain ? hosts.refusal(request, "the extender") : Optional.empty());
        paths.addProtected(router);
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
                context -> respond(context, parts.verbs().unready().get().or(parts.behind())));
        // For the probe of a Deployment whose Service selects the leader: a replica on standby is ready as well.
        Methods.get(
                router,
                "/readyz/replica",
                context -> respond(context, parts.unavailable().get()));
        Methods.get(router, "/version", context -> HttpResponse.text(context.request(), 200, settings.version()));
    }

    private static void respond(RoutingContext context, Optional<String> why) {
        HttpResponse.text(context.request(), why.isPresent() ? 503 : 200, why.orElse("ok"));
    }

    private void checkCertificate(RoutingContext context) {
        if (Connections.certified(context.request().connection())) {
            context.next();
            return;
        }
        requests.failed("any", "no_certificate");
        context.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
        HttpResponse.error(context.request(), 401, NO_CERTIFICATE);
    }

    /** Reports an internal error. */
    private void failed(RoutingContext context) {
        LOG.error(
                "the response to {} {} failed",
                context.request().method(),
                context.request().path(),
                context.failure());
        requests.failed("any", "internal");
        if (!context.response().headWritten()) {
            HttpResponse.error(context.request(), 500, "internal error of the extender; see its log");
        }
    }
}
