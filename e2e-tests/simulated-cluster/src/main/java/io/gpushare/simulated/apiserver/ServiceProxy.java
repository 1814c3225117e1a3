package io.gpushare.simulated.apiserver;

import io.gpushare.simulated.apiserver.store.ApiError;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.RequestOptions;
import java.net.URI;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * {@code /api/v1/namespaces/…/services/[https:]<name>[:<port>]/proxy/…}: forwards a request to the program behind a
 * Service, as the API server does: without the caller's Authorization, and without a check of the program's
 * certificate. Each Service, or port of it, has one program.
 */
final class ServiceProxy {
    private static final Pattern PATH =
            Pattern.compile("/api/v1/namespaces/([^/]+)/services/(?:https?:)?([^/:]+)(:[^/]*)?/proxy(/.*)");
    // Hop-by-hop headers, which are not forwarded.
    private static final Set<String> OF_CONNECTION =
            Set.of("connection", "content-length", "host", "keep-alive", "transfer-encoding", "authorization");

    private final HttpClient client;
    private final Map<String, URI> targets = new ConcurrentHashMap<>();

    ServiceProxy(Vertx vertx) {
        client =
                vertx.createHttpClient(new HttpClientOptions().setTrustAll(true).setVerifyHost(false));
    }

    void add(String namespace, String name, URI target) {
        targets.put(namespace + "/" + name, target);
    }

    /** Forwards the request if it is for a Service, and returns whether it is. */
    boolean answers(HttpServerRequest request, Buffer body) {
        Matcher path = PATH.matcher(request.uri());
        if (!path.matches()) {
            return false;
        }
        String service = path.group(1) + "/" + path.group(2);
        @Nullable URI target = targets.getOrDefault(service + path.group(3), targets.get(service));
        if (target == null) {
            throw ApiError.unavailable();
        }
        RequestOptions options = new RequestOptions()
                .setMethod(HttpMethod.valueOf(request.method().name()))
                .setHost(target.getHost())
                .setPort(target.getPort())
                .setSsl(target.getScheme().equals("https"))
                .setURI(path.group(4));
        copy(request.headers(), options::addHeader);
        client.request(options)
                .compose(handed -> handed.send(body))
                .compose(response -> response.body().onSuccess(content -> {
                    request.response().setStatusCode(response.statusCode());
                    copy(response.headers(), request.response()::putHeader);
                    request.response().end(content);
                }))
                .onFailure(e -> request.response().setStatusCode(503).end("no endpoints available for service"));
        return true;
    }

    private static void copy(MultiMap headers, BiConsumer<String, String> to) {
        headers.forEach(header -> {
            if (!OF_CONNECTION.contains(header.getKey().toLowerCase(Locale.ROOT))) {
                to.accept(header.getKey(), header.getValue());
            }
        });
    }
}
