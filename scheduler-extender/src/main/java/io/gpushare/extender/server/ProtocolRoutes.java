package io.gpushare.extender.server;

import io.gpushare.extender.http.BodyReader;
import io.gpushare.extender.http.HttpResponse;
import io.gpushare.extender.http.Methods;
import io.gpushare.extender.http.RequestBody;
import io.gpushare.extender.metrics.ExtenderMetrics;
import io.gpushare.extender.protocol.VerbHandlers;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;

/** The extender protocol: kube-scheduler's verbs, one path each, with the time that each response took. */
final class ProtocolRoutes {
    private static final String BEGAN = "began";

    private final Vertx vertx;
    private final VerbHandlers verbs;
    private final ExtenderMetrics metrics;

    ProtocolRoutes(Vertx vertx, VerbHandlers verbs, ExtenderMetrics metrics) {
        this.vertx = vertx;
        this.verbs = verbs;
        this.metrics = metrics;
    }

    Router router(BodyReader bodies) {
        Router router = Router.router(vertx);
        // The time counts from the request's head, as its body arrives after that.
        router.route().handler(context -> {
            context.put(BEGAN, System.nanoTime());
            context.next();
        });
        Methods.post(router, "/filter", bodies, context -> {
            HttpResponse.json(context.request(), 200, verbs.filter(BodyReader.body(context)));
            responded(context, "filter");
        });
        Methods.post(router, "/prioritize", bodies, context -> {
            VerbHandlers.Reply reply = verbs.prioritize(BodyReader.body(context));
            HttpResponse.json(context.request(), reply.status(), reply.body());
            responded(context, "prioritize");
        });
        Methods.post(router, "/preempt", bodies, this::preempt);
        Methods.post(router, "/bind", bodies, this::bind);
        return router;
    }

    private void preempt(RoutingContext context) {
        Context loop = vertx.getOrCreateContext();
        RequestBody body = BodyReader.body(context);
        verbs.preempt(
                body,
                reply -> loop.runOnContext(nothing -> {
                    HttpResponse.json(context.request(), reply.status(), reply.body());
                    responded(context, "preempt");
                }));
    }

    private void bind(RoutingContext context) {
        Context loop = vertx.getOrCreateContext();
        RequestBody body = BodyReader.body(context);
        verbs.bind(
                body,
                result -> loop.runOnContext(nothing -> {
                    HttpResponse.json(context.request(), 200, result);
                    responded(context, "bind");
                }));
    }

    private void responded(RoutingContext context, String verb) {
        long began = context.<Long>get(BEGAN);
        metrics.responded(verb, System.nanoTime() - began);
    }
}
