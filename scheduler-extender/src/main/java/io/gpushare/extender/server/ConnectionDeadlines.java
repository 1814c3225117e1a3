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
 * Cuts off callers that take too long, however they spread their bytes: each step of an exchange has one deadline. Only
 * our own work has none here. It looks at all of them from time to time, since a timer for each step costs more than what
 * the steps of a request cost otherwise. One of these serves one event loop.
 */
final class ConnectionDeadlines implements Handler<HttpServerRequest> {
    private static final Duration SELDOM = Duration.ofSeconds(1);
    // A caller has so much more than its deadline at most.
    private static final int SHARE = 10;

    /** Where a connection stands. */
    private static final class Turn {
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
    private final IdentityHashMap<HttpConnection, Turn> turns = new IdentityHashMap<>();

    /** Of the event loop that makes it. */
    ConnectionDeadlines(Vertx vertx, Deadlines deadlines, ExtenderMetrics metrics, Handler<HttpServerRequest> then) {
        this.deadlines = deadlines;
        this.metrics = metrics;
        this.then = then;
        Duration often = Collections.min(List.of(
                        deadlines.head(),
                        deadlines.body(),
                        deadlines.answer(),
                        deadlines.next(),
                        SELDOM.multipliedBy(SHARE)))
                .dividedBy(SHARE);
        vertx.setPeriodic(Math.max(1, often.toMillis()), fired -> look());
    }

    void connected(HttpConnection connection) {
        Turn turn = new Turn();
        turns.put(connection, turn);
        connection.closeHandler(nothing -> turns.remove(connection));
        turn.within(deadlines.head());
    }

    @Override
    public void handle(HttpServerRequest request) {
        Turn turn = turns.get(request.connection());
        if (turn != null) {
            long mine = ++turn.requests;
            turn.within(deadlines.body());
            request.end().onSuccess(nothing -> {
                if (turn.requests == mine && !request.response().headWritten()) {
                    turn.limited = false;
                }
            });
            request.response().headersEndHandler(nothing -> turn.within(deadlines.answer()));
            request.response().endHandler(nothing -> {
                if (turn.requests == mine) {
                    turn.within(deadlines.next());
                }
            });
        }
        then.handle(request);
    }

    private void look() {
        List<HttpConnection> late = turns.entrySet().stream()
                .filter(turn -> turn.getValue().late())
                .map(Map.Entry::getKey)
                .toList();
        for (HttpConnection connection : late) {
            turns.remove(connection);
            metrics.failed("any", "slow");
            connection.close();
        }
    }
}
