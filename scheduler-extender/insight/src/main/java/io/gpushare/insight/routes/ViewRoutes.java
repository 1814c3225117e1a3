package io.gpushare.insight.routes;

import io.gpushare.extender.http.BadRequestException;
import io.gpushare.extender.http.BodyReader;
import io.gpushare.extender.http.HttpResponse;
import io.gpushare.extender.http.JsonBody;
import io.gpushare.extender.http.JsonWriter;
import io.gpushare.extender.http.Methods;
import io.gpushare.extender.ledger.ClusterState;
import io.gpushare.insight.view.ViewRevisions;
import io.gpushare.model.text.Printable;
import io.gpushare.time.Machine;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The paths for users: the view as JSON, text for the command line, and the page. Responses are made off the event
 * loops and few at a time, so that many viewers can't slow kube-scheduler down.
 */
public final class ViewRoutes {
    private static final Logger LOG = LoggerFactory.getLogger(ViewRoutes.class);
    private static final String VIEW = "/gpushare-scheduler/v1/";
    private static final String TEXT = "text/";
    private static final int CONCURRENT = 2;
    private static final long LONGEST_WAIT_MILLIS = 5000;
    private static final String BEARER = "Bearer ";
    private static final String TOKEN = "X-Gpushare-Token";
    private static final int LONGEST_TOKEN_REQUEST = 64 << 10;
    private static final String NO_TOKEN = "this port needs a token of a service account that may get view.gpushare.io,"
            + " for the audience gpushare-view: kubectl gpushare and the page request one themselves";
    private static final String TOO_MANY = "too many requests for the view; try again";
    /** etcd keeps no larger one. */
    private static final int LONGEST_POD = 2 << 20;

    private static final Duration REST = Duration.ofMinutes(1);

    private final Vertx vertx;
    private final ViewAnswers answers;
    private final ViewAccess.Access access;
    private final Executor blocking;
    private final Semaphore working = new Semaphore(CONCURRENT);
    // Requests that wait for device plugins or the API server hold little memory and must not delay the others.
    private final Semaphore waiting = new Semaphore(8 * CONCURRENT);
    // Each holds the pod of a request.
    private final Semaphore explaining = new Semaphore(8 * CONCURRENT);
    private final UiFiles files = UiFiles.load();
    private final Gzip gzip = new Gzip();
    private final ViewerTokens tokens;

    public ViewRoutes(
            Vertx vertx,
            Supplier<ClusterState> states,
            ViewAccess view,
            Supplier<Optional<String>> unready,
            Executor blocking) {
        this.vertx = vertx;
        this.blocking = blocking;
        this.access = view.access();
        this.tokens = new ViewerTokens(view.viewers(), Machine.here()::nanos);
        ViewRevisions revisions = new ViewRevisions(states);
        this.answers = new ViewAnswers(states, view, revisions, unready);
        vertx.setPeriodic(
                REST.toMillis(),
                timer -> blocking.execute(() -> revisions.rest(Machine.here().nanos())));
    }

    /** Whether the view needs no client certificate. */
    public boolean open() {
        return access == ViewAccess.Access.OPEN;
    }

    /** Adds the routes, unless the view is off. */
    public void addTo(Router router) {
        if (access == ViewAccess.Access.OFF) {
            return;
        }
        files.addTo(router);
        explained(router, _ -> Optional.empty());
        Methods.get(router, VIEW + "*", context -> get(context, Optional.empty()));
    }

    /**
     * Adds the routes for callers that present a token. It is in the header {@code Authorization}, or in {@code
     * X-Gpushare-Token}, because the API server's proxy removes the former; or the body of a POST is the answered
     * TokenRequest, because {@code kubectl --raw} sends no headers. The page's files have no data and need none.
     */
    public void addForTokens(Router router) {
        if (access == ViewAccess.Access.OFF) {
            return;
        }
        BodyReader requests = new BodyReader(LONGEST_TOKEN_REQUEST, "send the answer of a TokenRequest", reason -> {});
        files.addTo(router);
        explained(router, context -> Optional.of(token(context)));
        router.post(VIEW + "*").handler(requests).handler(context -> get(context, Optional.of(requested(context))));
        Methods.get(router, VIEW + "*", context -> get(context, Optional.of(token(context))));
    }

    /** The token in the headers; empty if there is none. */
    private static String token(RoutingContext context) {
        String bearer = Objects.requireNonNullElse(context.request().getHeader(HttpHeaders.AUTHORIZATION), "");
        return bearer.startsWith(BEARER)
                ? bearer.substring(BEARER.length())
                : Objects.requireNonNullElse(context.request().getHeader(TOKEN), "");
    }

    /** The token in the body; empty if there is none. */
    private static String requested(RoutingContext context) {
        String[] token = {""};
        try {
            JsonBody.read(BodyReader.body(context), (name, value) -> {
                if (name.equals("status")) {
                    JsonBody.object(value, name, JsonBody.strings(token, "token"));
                }
            });
        } catch (BadRequestException e) {
            return "";
        }
        return token[0];
    }

    /** The step after a check of the token; empty where the caller needs none. */
    private <T> Step<T> checked(Optional<String> token, Step<T> step) {
        return token.<Step<T>>map(presented -> () -> {
                    if (presented.isEmpty()) {
                        throw new RefusedException(401, NO_TOKEN);
                    }
                    tokens.check(presented);
                    return step.take();
                })
                .orElse(step);
    }

    private void get(RoutingContext context, Optional<String> token) {
        String path = context.normalizedPath();
        if (path.length() < VIEW.length()) { // the pattern also matches without the slash
            HttpResponse.error(context.request(), 404, HttpResponse.NOTHING_HERE);
            return;
        }
        String view = path.substring(VIEW.length());
        ViewParameters parameters = new ViewParameters(context.request().params());
        Step<Answer> question = () -> answers.ask(view, parameters);
        respondLater(
                context.request(),
                view.startsWith(TEXT),
                checked(token, answers.waits(view) ? () -> limited(waiting, question) : question),
                () -> {});
    }

    /** A body is read only when its caller may see the view, and few are kept until their answers. */
    private void explained(Router router, Function<RoutingContext, Optional<String>> token) {
        router.post(VIEW + "explain")
                .handler(context -> admit(context, token.apply(context)))
                .handler(new BodyReader(LONGEST_POD, "send the pod alone", reason -> {}))
                .handler(this::explain);
    }

    private void admit(RoutingContext context, Optional<String> token) {
        HttpServerRequest request = context.request().pause();
        Context loop = vertx.getOrCreateContext();
        Step<Optional<Made>> check = checked(token, Optional::empty);
        blocking.execute(() -> {
            Optional<Made> refusal = orRefused(false, check, Optional::of);
            loop.runOnContext(nothing -> {
                refusal.ifPresentOrElse(
                        made -> {
                            request.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
                            send(request, made);
                        },
                        context::next);
                request.resume();
            });
        });
    }

    private void explain(RoutingContext context) {
        if (!explaining.tryAcquire()) {
            send(context.request(), refused(false, 503, TOO_MANY));
            return;
        }
        ViewParameters parameters = new ViewParameters(context.request().params());
        byte[] body = BodyReader.body(context);
        respondLater(
                context.request(),
                false,
                () -> () -> answers.explain(parameters, body).make(),
                explaining::release);
    }

    private interface Step<T> {
        T take() throws RefusedException, InterruptedException;
    }

    private static <T> T limited(Semaphore permits, Step<T> step) throws RefusedException, InterruptedException {
        if (!permits.tryAcquire(LONGEST_WAIT_MILLIS, TimeUnit.MILLISECONDS)) {
            throw new RefusedException(503, TOO_MANY);
        }
        try {
            return step.take();
        } finally {
            permits.release();
        }
    }

    private record Made(int status, String type, Buffer body, boolean compressed) {}

    /** @param made is run when the response is made */
    private void respondLater(HttpServerRequest request, boolean text, Step<Answer> question, Runnable made) {
        Context loop = vertx.getOrCreateContext();
        boolean accepted = Gzip.accepted(request);
        blocking.execute(() -> {
            Made response;
            try {
                response = made(text, accepted, question);
            } finally {
                made.run();
            }
            loop.runOnContext(nothing -> send(request, response));
        });
    }

    private Made made(boolean text, boolean accepted, Step<Answer> question) {
        return orRefused(
                text,
                () -> {
                    Answer response = question.take();
                    return limited(working, () -> {
                        Buffer body = text ? printable(response.make()) : response.make();
                        boolean compressed = accepted && Gzip.pays(body);
                        return new Made(
                                200,
                                text ? HttpResponse.TEXT : HttpResponse.JSON,
                                compressed ? gzip.compressed(body) : body,
                                compressed);
                    });
                },
                made -> made);
    }

    /** What the step makes, or the refusal in its place. */
    private static <T> T orRefused(boolean text, Step<T> step, Function<Made, T> refusal) {
        try {
            return step.take();
        } catch (RefusedException e) {
            return refusal.apply(refused(text, e.status(), String.valueOf(e.getMessage())));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return refusal.apply(refused(text, 503, "the extender is shutting down"));
        } catch (RuntimeException e) {
            LOG.error("the response to a request for the view failed", e);
            return refusal.apply(refused(text, 500, "internal error of the extender; see its log"));
        }
    }

    /** A text has status 200 with the reason in it: kubectl drops the body, and the reason, of any other status. */
    private static Made refused(boolean text, int status, String sentence) {
        return text
                ? new Made(200, HttpResponse.TEXT, printable(Buffer.buffer("error: " + sentence + "\n")), false)
                : new Made(status, HttpResponse.JSON, JsonWriter.error(sentence), false);
    }

    /** Names in a request, annotations and answers of other programs may hold what controls the reader's terminal. */
    private static Buffer printable(Buffer text) {
        String before = text.toString(StandardCharsets.UTF_8);
        String lines = Printable.lines(before);
        return lines.equals(before) ? text : Buffer.buffer(lines);
    }

    private static void send(HttpServerRequest request, Made made) {
        request.response()
                .putHeader(HttpHeaders.CACHE_CONTROL, "no-store")
                .putHeader("X-Content-Type-Options", "nosniff");
        Gzip.send(request, made.status(), made.type(), made.body(), made.compressed());
    }
}
