package io.gpushare.extender.server;

import io.gpushare.extender.metrics.ExtenderMetrics;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Closes the connections of slow callers: each step of an exchange has one deadline, except for the extender's own work.
 * vertx-web's timeouts begin with a request and do not cover a caller that sends none. All connections of an event loop
 * are checked periodically, because a timer for each step would cost more than the step.
 */
final class ConnectionDeadlines implements Handler<HttpServerRequest> {
    private static final Duration LONGEST_PERIOD = Duration.ofSeconds(1);
    // The fraction of a deadline by which a caller may exceed it.
    private static final int FRACTION = 10;

    /** The current step of a connection. */
    private static final class Step {
        private long requests;
        private boolean limited;
        private long until;

        void within(Duration limit) {
            limited = true;
            until = System.nanoTime() + limit.toNanos();
        }

        boolean late() {
            return limited && System.nanoTime() - until > 0;
        }
    }

    private final Deadlines deadlines;
    private final ExtenderMetrics metrics;
    private final Handler<HttpServerRequest> then;
    private final IdentityHashMap<HttpConnection, Step> steps = new IdentityHashMap<>();

    /** Belongs to the event loop that calls this. */
    ConnectionDeadlines(Vertx vertx, Deadlines deadlines, ExtenderMetrics metrics, Handler<HttpServerRequest> then) {
        this.deadlines = deadlines;
        this.metrics = metrics;
        this.then = then;
        Duration period = Collections.min(List.of(
                        deadlines.head(),
                        deadlines.body(),
                        deadlines.response(),
                        deadlines.next(),
                        LONGEST_PERIOD.multipliedBy(FRACTION)))
                .dividedBy(FRACTION);
        vertx.setPeriodic(Math.max(1, period.toMillis()), fired -> closeLate());
    }

    void connected(HttpConnection connection) {
        Step step = new Step();
        steps.put(connection, step);
        connection.closeHandler(nothing -> steps.remove(connection));
        step.within(deadlines.head());
    }

    @Override
    public void handle(HttpServerRequest request) {
        Step step = steps.get(request.connection());
        if (step != null) {
            long current = ++step.requests;
            step.within(deadlines.body());
            request.end().onSuccess(nothing -> {
                if (step.requests == current && !request.response().headWritten()) {
                    step.limited = false;
                }
            });
            request.response().headersEndHandler(nothing -> step.within(deadlines.response()));
            request.response().endHandler(nothing -> {
                if (step.requests == current) {
                    step.within(deadlines.next());
                }
            });
        }
        then.handle(request);
    }

    private void closeLate() {
        List<HttpConnection> late = steps.entrySet().stream()
                .filter(step -> step.getValue().late())
                .map(Map.Entry::getKey)
                .toList();
        for (HttpConnection connection : late) {
            steps.remove(connection);
            metrics.failed("any", "slow");
            connection.close();
        }
    }
}
