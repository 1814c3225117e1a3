package io.gpushare.extender.http;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;

/** Adds routes by method. vertx-web refuses other methods with 405, the right ones in Allow. */
public final class Methods {
    private Methods() {}

    /** Handles GET, and HEAD as GET without the body. */
    public static void get(Router router, String path, Handler<RoutingContext> handler) {
        router.get(path).method(HttpMethod.HEAD).handler(handler);
    }
}
