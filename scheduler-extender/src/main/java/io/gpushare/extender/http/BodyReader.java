package io.gpushare.extender.http;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;
import java.util.function.Consumer;

/**
 * Reads the body of a request within the limits, then calls the next handler of the route; a larger body gets 413 as
 * soon as that is known. vertx-web's own handler knows no budget that requests share.
 */
public final class BodyReader implements Handler<RoutingContext> {
    private static final String BODY = "body";

    private final RequestBodies bodies;
    private final Consumer<String> refused;

    /**
     * @param largest the limit of one body in bytes
     * @param refused receives the metric's reason of each refusal
     */
    public BodyReader(int largest, Consumer<String> refused) {
        this.bodies = new RequestBodies(largest);
        this.refused = refused;
    }

    /** The body of a request that came through a reader. */
    public static RequestBody body(RoutingContext context) {
        return context.get(BODY);
    }

    @Override
    public void handle(RoutingContext context) {
        bodies.read(
                context.request(),
                body -> {
                    context.put(BODY, body);
                    context.next();
                },
                refusal -> refuse(context, refusal));
    }

    private void refuse(RoutingContext context, RequestBodies.Refusal refusal) {
        context.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
        switch (refusal) {
            case TOO_LARGE -> {
                refused.accept("too_large");
                HttpResponse.error(
                        context.request(),
                        413,
                        "the request body is larger than " + bodies.largest()
                                + " bytes; set nodeCacheCapable: true in kube-scheduler's configuration, or raise"
                                + " --max-request-bytes");
            }
            case TOO_MANY -> {
                refused.accept("too_many");
                HttpResponse.error(context.request(), 503, "other large requests are being read; try again");
            }
        }
    }
}
