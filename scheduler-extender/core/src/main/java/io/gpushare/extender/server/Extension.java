package io.gpushare.extender.server;

import io.gpushare.extender.protocol.RequestObserver;
import io.gpushare.time.StartedParts;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** What explains, shows and measures beside the verbs. The extender knows nothing else of it. */
public interface Extension {
    /** Is notified of every request. */
    RequestObserver requests();

    /** Starts what runs beside the requests, and adds it to these parts. */
    void start(StartedParts parts);

    /**
     * Makes its paths.
     *
     * @param blocking for what must not run on an event loop
     */
    Paths paths(Vertx vertx, Executor blocking);

    /** The same, with something else that it starts first. */
    default Extension with(Consumer<StartedParts> more) {
        Extension first = this;
        return new Extension() {
            @Override
            public RequestObserver requests() {
                return first.requests();
            }

            @Override
            public void start(StartedParts parts) {
                more.accept(parts);
                first.start(parts);
            }

            @Override
            public Paths paths(Vertx vertx, Executor blocking) {
                return first.paths(vertx, blocking);
            }
        };
    }

    /** The paths that are served beside those of the verbs. */
    interface Paths {
        /** Those that are served over plain HTTP only under names that are known to be the extender's. */
        List<String> underKnownHosts();

        /**
         * Adds those for callers without a certificate.
         *
         * @param trusted whether the caller presented a certificate, or none is required
         */
        void addOpen(Router router, Predicate<HttpServerRequest> trusted);

        /** Adds those for callers that may also call the verbs. */
        void addProtected(Router router);

        /** Adds those of the port for callers with a token. */
        void addForTokens(Router router);
    }
}
