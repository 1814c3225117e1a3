package io.gpushare.extender.server;

import io.gpushare.extender.http.BodyReader;
import io.gpushare.extender.http.HttpResponse;
import io.gpushare.extender.http.Methods;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.metrics.ExtenderMetrics;
import io.gpushare.extender.protocol.VerbHandlers;
import io.gpushare.extender.view.InspectedNodes;
import io.gpushare.extender.view.ViewJson;
import io.gpushare.extender.view.routes.ViewRoutes;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Maps paths to handlers: the extender protocol, inspect, the view with its page, and metrics and health. Routes
 * before the certificate check are open to callers without one.
 */
final class ExtenderRouter {
    private static final Logger LOG = LoggerFactory.getLogger(ExtenderRouter.class);
    private static final String PREFIX = "/gpushare-scheduler/*";
    private static final String INSPECT = "/gpushare-scheduler/inspect/";

    private final Router router;
    private final ExtenderMetrics metrics;

    private ExtenderRouter(Vertx vertx, ExtenderMetrics metrics) {
        this.router = Router.router(vertx);
        this.metrics = metrics;
    }

    /**
     * The router of a server.
     *
     * @param certificates null where callers need no client certificate
     */
    static Router of(
            Vertx vertx,
            ExtenderMetrics metrics,
            @Nullable ClientCertificates certificates,
            StatusRoutes status,
            ViewRoutes view,
            VerbHandlers verbs,
            Ledger ledger,
            int maxBody) {
        ExtenderRouter routes = new ExtenderRouter(vertx, metrics);
        BodyReader bodies = new BodyReader(maxBody, reason -> metrics.failed("any", reason));
        status.addTo(routes.router);
        if (view.open()) {
            view.addTo(routes.router, bodies);
        }
        if (certificates != null) {
            routes.router.route().handler(certificates);
        }
        routes.router.route(PREFIX).subRouter(new ProtocolRoutes(vertx, verbs, metrics).router(bodies));
        routes.router.route(PREFIX).subRouter(inspect(vertx, ledger));
        if (!view.open()) {
            view.addTo(routes.router, bodies);
        }
        routes.errors();
        return routes.router;
    }

    private static Router inspect(Vertx vertx, Ledger ledger) {
        Router router = Router.router(vertx);
        Methods.get(
                router,
                "/inspect",
                context -> HttpResponse.json(
                        context.request(), 200, ViewJson.json(InspectedNodes.ofLedger(ledger.nodes()))));
        // Not "/inspect/:node": vertx-web logs an error for each name that it can't decode.
        Methods.get(router, "/inspect/*", context -> {
            String name = context.normalizedPath().substring(INSPECT.length());
            ledger.node(name)
                    .ifPresentOrElse(
                            node -> HttpResponse.json(
                                    context.request(), 200, ViewJson.json(InspectedNodes.ofLedger(List.of(node)))),
                            () -> HttpResponse.error(context.request(), 404, "node \"" + name + "\" is not known"));
        });
        return router;
    }

    private void errors() {
        router.errorHandler(
                400, context -> HttpResponse.error(context.request(), 400, "the request's path can't be read"));
        router.errorHandler(404, context -> HttpResponse.error(context.request(), 404, HttpResponse.NOTHING_HERE));
        router.errorHandler(500, this::failed);
    }

    /**
     * Reports an internal error; a response that has begun is cut off, so that the caller sees that it is incomplete.
     */
    private void failed(RoutingContext context) {
        LOG.error(
                "the response to {} {} failed",
                context.request().method(),
                context.request().path(),
                context.failure());
        metrics.failed("any", "internal");
        if (context.response().ended()) {
            return;
        }
        if (context.response().headWritten()) {
            context.request().connection().close();
        } else {
            HttpResponse.error(context.request(), 500, "internal error of the extender; see its log");
        }
    }
}
