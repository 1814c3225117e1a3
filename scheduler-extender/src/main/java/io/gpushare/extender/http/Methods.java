package io.gpushare.extender.http;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;

/** Adds routes for one path that refuse other methods with 405, the right ones in Allow. */
public final class Methods {
    private Methods() {}

    /** Handles GET, and HEAD as GET without the body. */
    public static void get(Router router, String path, Handler<RoutingContext> handler) {
        router.get(path).method(HttpMethod.HEAD).handler(handler);
        refuseOthers(router, path, "GET, HEAD");
    }

    /** Handles POST with the body that the reader took. */
    public static void post(Router router, String path, BodyReader bodies, Handler<RoutingContext> handler) {
        router.post(path).handler(bodies).handler(handler);
        refuseOthers(router, path, "POST");
    }

    private static void refuseOthers(Router router, String path, String allowed) {
        router.route(path).handler(context -> {
            context.response().putHeader(HttpHeaders.ALLOW, allowed);
            HttpResponse.error(context.request(), 405, "this path answers to " + allowed);
        });
    }
}
