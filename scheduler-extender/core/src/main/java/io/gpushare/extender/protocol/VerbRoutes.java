package io.gpushare.extender.protocol;

import io.gpushare.extender.feasibility.FilterResult;
import io.gpushare.extender.http.BadRequestException;
import io.gpushare.extender.http.BodyReader;
import io.gpushare.extender.http.HttpResponse;
import io.gpushare.extender.http.JsonWriter;
import io.gpushare.extender.preemption.Preemption;
import io.gpushare.extender.preemption.Victims;
import io.gpushare.extender.scheduling.BindResult;
import io.gpushare.extender.scheduling.Binder;
import io.gpushare.extender.scheduling.NodeSelection;
import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The paths of kube-scheduler's verbs, from request body to response. Filter and prioritize run on the event loop, in
 * well under a millisecond for a thousand nodes; preempt and bind run on threads of their own.
 */
public final class VerbRoutes {
    private static final Logger LOG = LoggerFactory.getLogger(VerbRoutes.class);
    private static final String PREFIX = "/gpushare-scheduler/";
    private static final String BEGAN = "began";
    private static final String INTERNAL = "internal error of the extender; see its log";

    /** A response body and its status; to kube-scheduler any status but 200 is a failed call. */
    private record Reply(int status, Buffer body) {}

    private interface Reader {
        /** Reads the request, and returns what makes the response. */
        Supplier<Reply> read(byte[] body) throws BadRequestException;
    }

    /**
     * A verb of the protocol.
     *
     * @param blocks whether the response is made on a thread of its own
     * @param unready the status of the response of an extender that is not ready
     * @param invalid the status of the response to a body that does not follow the protocol
     */
    private record Verb(
            String name, boolean blocks, int unready, int invalid, Function<String, Buffer> error, Reader reader) {}

    /**
     * What serves the verbs.
     *
     * @param unready why no verb can be served now, as a sentence; empty if it can
     */
    public record Parts(
            NodeSelection selection,
            Preemption preemption,
            Binder binder,
            Supplier<Optional<String>> unready,
            InstantSource clock,
            RequestObserver requests) {}

    private final Parts parts;
    private final Executor blocking;

    public VerbRoutes(Parts parts, Executor blocking) {
        this.parts = parts;
        this.blocking = blocking;
    }

    /**
     * Adds the routes. Filter and bind always answer with status 200: kube-scheduler drops the body of any other
     * response, and the reason with it. The responses of the others have no field for an error: if the status is not
     * 200, kube-scheduler continues without the scores, or retries the pod without preemption.
     *
     * @param foreign why nothing is served under the name that the caller used; empty if something is
     */
    public void addTo(Router router, BodyReader bodies, Function<HttpServerRequest, Optional<String>> foreign) {
        Stream.of(
                        new Verb("filter", false, 200, 200, FilterResponse::error, this::filter),
                        new Verb("prioritize", false, 400, 400, JsonWriter::error, this::prioritize),
                        new Verb("preempt", true, 503, 400, JsonWriter::error, this::preempt),
                        new Verb("bind", true, 200, 200, JsonWriter::bind, this::bind))
                .forEach(verb -> router.post(PREFIX + verb.name())
                        .handler(context -> admit(context, verb, foreign))
                        .handler(bodies)
                        .handler(context -> handle(context, verb)));
    }

    /** Refuses callers before their body is read. */
    private void admit(RoutingContext context, Verb verb, Function<HttpServerRequest, Optional<String>> foreign) {
        // The time counts from the request's head, as its body arrives after that.
        context.put(BEGAN, System.nanoTime());
        Optional<WebPages.Refusal> page = WebPages.refusal(context.request());
        Optional<String> name = foreign.apply(context.request());
        if (page.isEmpty() && name.isEmpty()) {
            context.next();
            return;
        }
        context.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
        if (page.isPresent()) {
            parts.requests().failed(verb.name(), "web_page");
            HttpResponse.error(
                    context.request(), page.get().status(), page.get().sentence());
        } else {
            fail(context, verb, "foreign_host", verb.invalid(), name.get());
        }
    }

    private void handle(RoutingContext context, Verb verb) {
        Optional<String> reason = parts.unready().get();
        if (reason.isPresent()) {
            fail(context, verb, "not_ready", verb.unready(), reason.get());
            return;
        }
        Supplier<Reply> response;
        try {
            response = verb.reader().read(BodyReader.body(context));
        } catch (BadRequestException e) {
            fail(context, verb, "bad_request", verb.invalid(), String.valueOf(e.getMessage()));
            return;
        }
        if (verb.blocks()) {
            Context loop = context.vertx().getOrCreateContext();
            blocking.execute(() -> {
                Reply reply = response.get();
                loop.runOnContext(nothing -> respond(context, verb, reply));
            });
        } else {
            respond(context, verb, response.get());
        }
    }

    private void fail(RoutingContext context, Verb verb, String reason, int status, String sentence) {
        parts.requests().failed(verb.name(), reason);
        respond(context, verb, new Reply(status, verb.error().apply(sentence)));
    }

    private void respond(RoutingContext context, Verb verb, Reply reply) {
        HttpResponse.json(context.request(), reply.status(), reply.body());
        parts.requests().responded(verb.name(), System.nanoTime() - context.<Long>get(BEGAN));
    }

    private Supplier<Reply> filter(byte[] body) throws BadRequestException {
        ExtenderArgs args = ExtenderArgs.read(body);
        return () -> {
            FilterResult result = parts.selection().filter(args.pod(), args.names());
            parts.requests().filtered(result);
            return new Reply(200, FilterResponse.of(args, result));
        };
    }

    private Supplier<Reply> prioritize(byte[] body) throws BadRequestException {
        ExtenderArgs args = ExtenderArgs.read(body);
        return () -> {
            int[] scores = parts.selection().prioritize(args.pod(), args.names());
            return new Reply(200, PrioritizeResponse.of(args.names(), scores));
        };
    }

    private Supplier<Reply> preempt(byte[] body) throws BadRequestException {
        PreemptArgs args = PreemptArgs.read(body);
        return () -> {
            try {
                Map<String, Victims> victims = parts.preemption().preempt(args.pod(), args.candidates());
                parts.requests().preempted(args.candidates(), victims);
                return new Reply(200, PreemptArgs.response(victims));
            } catch (RuntimeException e) {
                LOG.error(
                        "preemption for pod {} failed unexpectedly", args.pod().ref(), e);
                parts.requests().failed("preempt", "internal");
                return new Reply(500, JsonWriter.error(INTERNAL));
            }
        };
    }

    private Supplier<Reply> bind(byte[] body) throws BadRequestException {
        BindArgs args = BindArgs.read(body);
        return () -> {
            BindResult result;
            try {
                result = parts.binder()
                        .bind(args.pod(), args.node(), parts.clock().instant());
            } catch (RuntimeException e) {
                LOG.error("binding pod {} to node {} failed unexpectedly", args.pod(), args.node(), e);
                result = new BindResult.Failed(BindResult.Why.UNKNOWN, INTERNAL);
            }
            parts.requests().bound(result);
            return new Reply(
                    200,
                    JsonWriter.bind(
                            switch (result) {
                                case BindResult.Bound _ -> "";
                                case BindResult.Failed(BindResult.Why _, String sentence) -> sentence;
                            }));
        };
    }
}
