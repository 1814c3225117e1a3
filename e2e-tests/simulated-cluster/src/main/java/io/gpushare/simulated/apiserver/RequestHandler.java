package io.gpushare.simulated.apiserver;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.apiserver.response.Discovery;
import io.gpushare.simulated.apiserver.response.Lag;
import io.gpushare.simulated.apiserver.response.ListResponse;
import io.gpushare.simulated.apiserver.response.TableResponse;
import io.gpushare.simulated.apiserver.response.WatchResponse;
import io.gpushare.simulated.apiserver.store.ApiError;
import io.gpushare.simulated.apiserver.store.ApiResource;
import io.gpushare.simulated.apiserver.store.ObjectStore;
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
    private final ObjectRequests objects;
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
            ApiFaults faults,
            RequestLog log,
            SimulatedApiServer.Options options,
            InstantSource clock) {
        this.vertx = vertx;
        this.store = store;
        this.objects = new ObjectRequests(store, clock);
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
                var _ = objects.change(about(request, body));
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
        boolean table = TableResponse.accepted(request.getHeader("Accept"));
        switch (objects.answer(about(request, body))) {
            case ObjectRequests.Answer.Document(int code, ApiPath path, ObjectNode document) ->
                send(
                        request.response(),
                        code,
                        table
                                        && code == 200
                                        && !path.subresource().equals("scale")
                                        && request.method().equals(HttpMethod.GET)
                                ? TableResponse.of(path.resource(), List.of(document), store.version(), clock.instant())
                                : document);
            case ObjectRequests.Answer.Page(ApiResource resource, ObjectStore.Page page, var begun) -> {
                if (table && !page.more()) {
                    send(
                            request.response(),
                            200,
                            TableResponse.of(resource, page.objects(), page.version(), clock.instant()));
                } else {
                    ListResponse.write(request.response(), resource, page, begun);
                }
            }
            case ObjectRequests.Answer.Watch watch -> watch(request, watch);
        }
    }

    private static ObjectRequests.Request about(HttpServerRequest request, Buffer body) {
        return new ObjectRequests.Request(
                request.method().name(),
                request.path(),
                request::getParam,
                request.getHeader("Content-Type"),
                body.getBytes());
    }

    private void watch(HttpServerRequest request, ObjectRequests.Answer.Watch asked) {
        WatchResponse watch = new WatchResponse(
                vertx, request.response(), asked.resource(), store, asked.bookmarks(), faults::watchesMuted);
        watches.put(watch, user(request));
        request.response().endHandler(_ -> watches.remove(watch));
        Duration length = asked.length();
        watch.start(
                asked.selection(),
                asked.since(),
                length == null ? options.watchLength() : length,
                options.bookmarkPeriod());
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

    private static void send(HttpServerResponse response, int code, ObjectNode document) {
        response.setStatusCode(code)
                .putHeader("Content-Type", "application/json")
                .end(SimulatedApiServer.buffer(document));
    }
}
