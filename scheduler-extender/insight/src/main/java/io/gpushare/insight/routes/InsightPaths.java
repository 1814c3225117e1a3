package io.gpushare.insight.routes;

import io.gpushare.extender.http.HttpResponse;
import io.gpushare.extender.http.Methods;
import io.gpushare.extender.ledger.ClusterState;
import io.gpushare.extender.server.Extension;
import io.gpushare.insight.metrics.ExtenderMetrics;
import io.gpushare.insight.view.InspectedNodes;
import io.gpushare.insight.view.ViewJson;
import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** The paths beside those of the verbs: metrics, inspect, and the view with its page. */
public record InsightPaths(
        Supplier<ClusterState> states,
        Function<String, Optional<ClusterState.NodeView>> node,
        ExtenderMetrics metrics,
        ViewRoutes view)
        implements Extension.Paths {
    private static final String INSPECT = "/gpushare-scheduler/inspect/";

    @Override
    public List<String> underKnownHosts() {
        return List.of("/ui/*", "/gpushare-scheduler/v1/*", INSPECT + "*");
    }

    @Override
    public void addOpen(Router router, Predicate<HttpServerRequest> trusted) {
        Methods.get(router, "/metrics", context -> scrape(context, trusted.test(context.request())));
        if (view.open()) {
            view.addTo(router);
        }
    }

    @Override
    public void addProtected(Router router) {
        Methods.get(router, INSPECT + "*", this::inspect);
        if (!view.open()) {
            view.addTo(router);
        }
    }

    @Override
    public void addForTokens(Router router) {
        view.addForTokens(router);
    }

    /** Where certificates are required, metrics name no node to a caller without one. */
    private void scrape(RoutingContext context, boolean names) {
        Future.fromCompletionStage(metrics.text(names), context.vertx().getOrCreateContext())
                .onSuccess(text -> HttpResponse.send(context.request(), 200, ExtenderMetrics.CONTENT_TYPE, text))
                .onFailure(context::fail);
    }

    /** Not by a parameter in the path: vertx-web logs an error for each name that it can't decode. */
    private void inspect(RoutingContext context) {
        String path = context.normalizedPath();
        String name = path.length() > INSPECT.length() ? path.substring(INSPECT.length()) : "";
        if (name.isEmpty()) {
            HttpResponse.json(
                    context.request(),
                    200,
                    ViewJson.json(InspectedNodes.ofLedger(states.get().nodes())));
            return;
        }
        node.apply(name)
                .ifPresentOrElse(
                        node -> HttpResponse.json(
                                context.request(), 200, ViewJson.json(InspectedNodes.ofLedger(List.of(node)))),
                        () -> HttpResponse.error(context.request(), 404, "node \"" + name + "\" is not known"));
    }
}
