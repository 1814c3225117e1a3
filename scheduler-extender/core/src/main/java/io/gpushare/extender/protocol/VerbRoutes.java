package io.gpushare.extender.protocol;

import io.gpushare.extender.http.BodyReader;
import io.gpushare.extender.http.HttpResponse;
import io.gpushare.time.Machine;
import io.vertx.core.Context;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The paths of kube-scheduler's verbs. Filter and prioritize run on the event loop, in well under a millisecond for a
 * thousand nodes; preempt and bind run on threads of their own.
 */
public final class VerbRoutes {
    private static final String PREFIX = "/gpushare-scheduler/";
    private static final String BEGAN = "began";

    private final Verbs verbs;
    private final RequestObserver requests;
    private final Executor blocking;

    public VerbRoutes(Verbs.Parts parts, Executor blocking) {
        this.verbs = new Verbs(parts);
        this.requests = parts.requests();
        this.blocking = blocking;
    }

    /**
     * Adds the routes.
     *
     * @param foreign why nothing is served under the name that the caller used; empty if something is
     */
    public void addTo(Router router, BodyReader bodies, Function<HttpServerRequest, Optional<String>> foreign) {
        verbs.all()
                .forEach(verb -> router.post(PREFIX + verb.name())
                        .handler(context -> admit(context, verb, foreign))
                        .handler(bodies)
                        .handler(context -> handle(context, verb)));
    }

    /** Refuses callers before their body is read. */
    private void admit(RoutingContext context, Verbs.Verb verb, Function<HttpServerRequest, Optional<String>> foreign) {
        // The time counts from the request's head, as its body arrives after that.
        context.put(BEGAN, Machine.here().nanos());
        Optional<WebPages.Refusal> page = WebPages.refusal(context.request());
        Optional<String> name = foreign.apply(context.request());
        if (page.isEmpty() && name.isEmpty()) {
            context.next();
            return;
        }
        context.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
        if (page.isPresent()) {
            requests.failed(verb.name(), "web_page");
            HttpResponse.error(
                    context.request(), page.get().status(), page.get().sentence());
        } else {
            respond(context, verb, verbs.failed(verb, "foreign_host", verb.invalid(), name.get()));
        }
    }

    private void handle(RoutingContext context, Verbs.Verb verb) {
        Supplier<Verbs.Reply> response = verbs.reply(verb, BodyReader.body(context));
        if (verb.blocks()) {
            Context loop = context.vertx().getOrCreateContext();
            blocking.execute(() -> {
                Verbs.Reply reply = response.get();
                loop.runOnContext(nothing -> respond(context, verb, reply));
            });
        } else {
            respond(context, verb, response.get());
        }
    }

    private void respond(RoutingContext context, Verbs.Verb verb, Verbs.Reply reply) {
        HttpResponse.json(context.request(), reply.status(), reply.body());
        requests.responded(verb.name(), Machine.here().nanos() - context.<Long>get(BEGAN));
    }
}
