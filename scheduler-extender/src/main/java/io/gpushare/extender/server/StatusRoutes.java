package io.gpushare.extender.server;

import io.gpushare.extender.http.HttpResponse;
import io.gpushare.extender.http.Methods;
import io.gpushare.extender.metrics.ExtenderMetrics;
import io.vertx.core.Future;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Metrics, health and version, open to callers without a client certificate, such as the kubelet's probes. Where
 * certificates are required, metrics name no node to such a caller.
 *
 * @param unready why no verb can be served now; empty if it can
 * @param unavailable why this replica neither serves verbs nor could take over; empty if it does or could
 */
record StatusRoutes(
        ExtenderMetrics metrics,
        Supplier<Optional<String>> unready,
        Supplier<Optional<String>> unavailable,
        String version,
        boolean certificatesRequired) {
    void addTo(Router router) {
        Methods.get(router, "/healthz", context -> HttpResponse.text(context.request(), 200, "ok"));
        Methods.get(router, "/readyz", context -> reply(context, unready.get()));
        // For the probe of a Deployment whose Service selects the leader: a replica on standby is ready as well.
        Methods.get(router, "/readyz/replica", context -> reply(context, unavailable.get()));
        Methods.get(router, "/version", context -> HttpResponse.text(context.request(), 200, version));
        Methods.get(router, "/metrics", this::scrape);
    }

    private static void reply(RoutingContext context, Optional<String> why) {
        HttpResponse.text(context.request(), why.isPresent() ? 503 : 200, why.orElse("ok"));
    }

    private void scrape(RoutingContext context) {
        boolean names = !certificatesRequired || ClientCertificates.presented(context.request());
        Future.fromCompletionStage(metrics.text(names), context.vertx().getOrCreateContext())
                .onSuccess(text -> HttpResponse.send(context.request(), 200, ExtenderMetrics.CONTENT_TYPE, text))
                .onFailure(context::fail);
    }
}
