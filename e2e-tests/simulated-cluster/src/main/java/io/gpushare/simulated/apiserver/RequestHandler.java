package io.gpushare.simulated.apiserver;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.apiserver.response.Discovery;
import io.gpushare.simulated.apiserver.response.Lag;
import io.gpushare.simulated.apiserver.response.ListResponse;
import io.gpushare.simulated.apiserver.response.TableResponse;
import io.gpushare.simulated.apiserver.response.WatchResponse;
import io.gpushare.simulated.apiserver.store.ApiError;
import io.gpushare.simulated.apiserver.store.ApiResource;
import io.gpushare.simulated.apiserver.store.Documents;
import io.gpushare.simulated.apiserver.store.ObjectKey;
import io.gpushare.simulated.apiserver.store.ObjectStore;
import io.gpushare.simulated.apiserver.store.Selection;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Handles HTTP requests: parses paths and parameters, injects faults, calls the verbs and writes the responses. */
final class RequestHandler {
    private static final Logger LOG = LoggerFactory.getLogger(RequestHandler.class);
    private static final String VERSION = """
        {"major":"1","minor":"36","gitVersion":"v1.36.2-simulated","gitCommit":"","gitTreeState":"",\
        "buildDate":"","goVersion":"","compiler":"","platform":"linux/amd64"}\
        """;

    private final Vertx vertx;
    private final ObjectStore store;
    private final ObjectVerbs verbs;
    private final ApiFaults faults;
    private final RequestLog log;
    private final SimulatedApiServer.Options options;
    private final InstantSource clock;
    private final ServiceProxy services;
    private final AccessAnswers access = new AccessAnswers();
    // The user of each watch.
    private final Map<WatchResponse, String> watches = new ConcurrentHashMap<>();

    RequestHandler(
            Vertx vertx,
            ObjectStore store,
            ObjectVerbs verbs,
            ApiFaults faults,
            RequestLog log,
            SimulatedApiServer.Options options,
            InstantSource clock) {
        this.vertx = vertx;
        this.store = store;
        this.verbs = verbs;
        this.faults = faults;
        this.log = log;
        this.options = options;
        this.clock = clock;
        this.services = new ServiceProxy(vertx);
    }

    void handle(HttpServerRequest request) {
        if (faults.isCutOff(user(request))) {
            request.connection().close();
            return;
        }
        boolean event =
                request.method().equals(HttpMethod.POST) && request.path().endsWith("/events");
        long delay = faults.latency().toMillis() + (event ? Lag.millis() : 0);
        request.body().onSuccess(body -> {
            if (delay > 0) {
                faults.countDelayed(1);
                vertx.setTimer(delay, _ -> {
                    faults.countDelayed(-1);
                    decide(request, body);
                });
            } else {
                decide(request, body);
            }
        });
    }

    private void decide(HttpServerRequest request, Buffer body) {
        ApiRequest received = new ApiRequest(
                request.method().name(),
                request.uri(),
                Objects.requireNonNullElse(request.getHeader("Content-Type"), ""),
                body.toString());
        log.add(received);
        ApiFaults.Decision decision = faults.decide(received);
        switch (decision.outcome()) {
            case Outcome.Reply(int code, String text) ->
                request.response()
                        .setStatusCode(code)
                        .putHeader("Content-Type", "application/json")
                        .end(text);
            case Outcome.Plain plain -> {
                switch (plain) {
                    case SERVED -> serve(request, body);
                    case REQUEST_LOST -> request.connection().close();
                    case RESPONSE_LOST -> executeWithoutResponse(request, body);
                    case HELD -> hold(decision.rule(), request, body);
                }
            }
        }
    }

    private void hold(FaultRule rule, HttpServerRequest request, Buffer body) {
        Context context = vertx.getOrCreateContext();
        rule.hold(() -> context.runOnContext(_ -> serve(request, body)));
    }

    private void serve(HttpServerRequest request, Buffer body) {
        try {
            if (!answerAboutServer(request)
                    && !answerAboutApi(request)
                    && !answerAboutAccess(request, body)
                    && !services.answers(request, body)) {
                answerAboutObjects(request, body);
            }
        } catch (ApiError refusal) {
            send(request.response(), refusal.code(), refusal.status());
        } catch (RuntimeException bug) {
            LOG.error("{} {} failed", request.method(), request.uri(), bug);
            ApiError error = ApiError.internal(String.valueOf(bug.getMessage()));
            send(request.response(), error.code(), error.status());
        }
    }

    private void executeWithoutResponse(HttpServerRequest request, Buffer body) {
        try {
            if (!request.method().equals(HttpMethod.GET)) {
                change(request, ApiPath.parse(request.path()), body);
            }
        } catch (ApiError refusal) {
            LOG.debug("{} {} is refused without a response", request.method(), request.uri(), refusal);
        } finally {
            request.connection().close();
        }
    }

    private static boolean answerAboutServer(HttpServerRequest request) {
        switch (request.path().replaceFirst("/$", "")) {
            case "/version" ->
                request.response().putHeader("Content-Type", "application/json").end(VERSION);
            case "/readyz", "/livez", "/healthz" -> request.response().end("ok");
            // kubectl before 1.24, as in Debian 12, reads only this document before it applies files, as a Protobuf
            // message.
            // Of an empty one it validates nothing.
            case "/openapi/v2" ->
                request.response()
                        .putHeader("Content-Type", "application/octet-stream")
                        .end();
            default -> {
                return false;
            }
        }
        return true;
    }

    private static boolean answerAboutApi(HttpServerRequest request) {
        Optional<ObjectNode> document = request.method().equals(HttpMethod.GET)
                ? Discovery.document(request.path().replaceFirst("/$", ""))
                : Optional.empty();
        document.ifPresent(found -> send(request.response(), 200, found));
        return document.isPresent();
    }

    private boolean answerAboutAccess(HttpServerRequest request, Buffer body) {
        Optional<ObjectNode> answer = request.method().equals(HttpMethod.POST)
                ? access.answer(request.path(), body.getBytes())
                : Optional.empty();
        answer.ifPresent(document -> send(request.response(), 201, document));
        return answer.isPresent();
    }

    private void answerAboutObjects(HttpServerRequest request, Buffer body) {
        ApiPath path = ApiPath.parse(request.path());
        if (!request.method().equals(HttpMethod.GET)) {
            ObjectNode result = change(request, path, body);
            send(request.response(), request.method().equals(HttpMethod.POST) ? 201 : 200, result);
        } else if (path.name().isEmpty()) {
            Selection selection = Selection.parse(
                    path.resource(),
                    path.namespace(),
                    request.getParam("fieldSelector"),
                    request.getParam("labelSelector"));
            if (isTrue(request.getParam("watch"))) {
                watch(request, path.resource(), selection);
            } else {
                list(request, path.resource(), selection);
            }
        } else if (path.subresource().isEmpty() || path.subresource().equals("status")) {
            ObjectNode object = store.get(path.resource(), path.key());
            send(
                    request.response(),
                    200,
                    TableResponse.accepted(request.getHeader("Accept"))
                            ? TableResponse.of(path.resource(), List.of(object), store.version(), clock.instant())
                            : object);
        } else if (scale(path)) {
            send(request.response(), 200, Scale.of(store.get(path.resource(), path.key())));
        } else {
            throw ApiError.methodNotAllowed();
        }
    }

    private static boolean scale(ApiPath path) {
        return path.subresource().equals("scale") && path.resource() == ApiResource.DEPLOYMENTS;
    }

    private ObjectNode change(HttpServerRequest request, ApiPath path, Buffer body) {
        ObjectNode document = body.length() == 0 ? Documents.empty() : Documents.parse(body.getBytes());
        boolean collection = path.name().isEmpty();
        boolean whole = path.subresource().isEmpty();
        boolean status = path.subresource().equals("status") && path.resource().hasStatus;
        boolean binding = path.subresource().equals("binding") && path.resource() == ApiResource.PODS;
        String verb = request.method().name();
        if (verb.equals("POST") && collection) {
            return verbs.create(path, document);
        }
        if (verb.equals("POST") && binding) {
            return verbs.bind(path, document);
        }
        if (verb.equals("POST") && path.subresource().equals("eviction") && path.resource() == ApiResource.PODS) {
            return new PodEviction(store, verbs, clock).evict(path, document);
        }
        if ((verb.equals("PUT") || verb.equals("PATCH")) && scale(path)) {
            return Scale.of(store.update(path.resource(), path.key(), before -> Scale.apply(before, document)));
        }
        if (verb.equals("PUT") && !collection && (whole || status)) {
            return verbs.replace(path, document);
        }
        if (verb.equals("PATCH") && !collection && (whole || status)) {
            return verbs.patch(path, request.getHeader("Content-Type"), document);
        }
        if (verb.equals("DELETE") && !collection && whole) {
            return verbs.delete(path, request.getParam("gracePeriodSeconds"), document);
        }
        throw ApiError.methodNotAllowed();
    }

    private void list(HttpServerRequest request, ApiResource resource, Selection selection) {
        long limit = number(request.getParam("limit"), 0);
        ListResponse.Continue begun = ListResponse.Continue.parse(request.getParam("continue"));
        ObjectKey after = begun == null ? new ObjectKey("", "") : begun.after();
        int size = limit <= 0 ? Integer.MAX_VALUE : (int) Math.min(limit, Integer.MAX_VALUE);
        ObjectStore.Page page = store.list(resource, selection, after, size);
        if (TableResponse.accepted(request.getHeader("Accept")) && !page.more()) {
            send(request.response(), 200, TableResponse.of(resource, page.objects(), page.version(), clock.instant()));
        } else {
            ListResponse.write(request.response(), resource, page, begun);
        }
    }

    private void watch(HttpServerRequest request, ApiResource resource, Selection selection) {
        boolean bookmarks = isTrue(request.getParam("allowWatchBookmarks"));
        WatchResponse watch =
                new WatchResponse(vertx, request.response(), resource, store, bookmarks, faults::watchesMuted);
        watches.put(watch, user(request));
        request.response().endHandler(_ -> watches.remove(watch));
        long seconds = number(request.getParam("timeoutSeconds"), 0);
        Duration length = seconds > 0 ? Duration.ofSeconds(seconds) : options.watchLength();
        long since = number(request.getParam("resourceVersion"), 0);
        watch.start(selection, since, length, options.bookmarkPeriod());
    }

    ServiceProxy services() {
        return services;
    }

    AccessAnswers access() {
        return access;
    }

    void cutWatches() {
        watches.keySet().forEach(WatchResponse::cut);
    }

    void cutWatches(String user) {
        watches.forEach((watch, of) -> {
            if (of.equals(user)) {
                watch.cut();
            }
        });
    }

    /** The user's token, which is the user's name too. */
    private static String user(HttpServerRequest request) {
        String authorization = request.getHeader("Authorization");
        return authorization == null ? "" : authorization.replaceFirst("^Bearer ", "");
    }

    private static boolean isTrue(@Nullable String parameter) {
        return "true".equals(parameter) || "1".equals(parameter);
    }

    private static long number(@Nullable String parameter, long absent) {
        try {
            return parameter == null || parameter.isEmpty() ? absent : Long.parseLong(parameter);
        } catch (NumberFormatException _) {
            throw ApiError.badRequest("not a whole number: " + parameter);
        }
    }

    private static void send(HttpServerResponse response, int code, ObjectNode document) {
        response.setStatusCode(code)
                .putHeader("Content-Type", "application/json")
                .end(SimulatedApiServer.buffer(document));
    }
}
