package io.gpushare.extender.http;

import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.IdentityHashMap;

/**
 * Cuts off callers that take too long, however they spread their bytes: each step of an exchange has one deadline. Only
 * our own work has none here. One of these serves one event loop.
 */
final class Patience implements Handler<HttpServerRequest> {
    /** Where a connection stands. */
    private static final class Turn {
        private long requests;
        private long timer = -1;
    }

    private final Vertx vertx;
    private final Deadlines deadlines;
    private final Metrics metrics;
    private final Handler<HttpServerRequest> then;
    private final IdentityHashMap<HttpConnection, Turn> turns = new IdentityHashMap<>();

    Patience(Vertx vertx, Deadlines deadlines, Metrics metrics, Handler<HttpServerRequest> then) {
        this.vertx = vertx;
        this.deadlines = deadlines;
        this.metrics = metrics;
        this.then = then;
    }

    void connected(HttpConnection connection) {
        Turn turn = new Turn();
        turns.put(connection, turn);
        connection.closeHandler(nothing -> {
            turns.remove(connection);
            vertx.cancelTimer(turn.timer);
        });
        within(deadlines.head(), connection, turn);
    }

    @Override
    public void handle(HttpServerRequest request) {
        HttpConnection connection = request.connection();
        Turn turn = turns.get(connection);
        if (turn != null) {
            long mine = ++turn.requests;
            within(deadlines.body(), connection, turn);
            request.end().onSuccess(nothing -> {
                if (turn.requests == mine && !request.response().headWritten()) {
                    vertx.cancelTimer(turn.timer);
                }
            });
            request.response().headersEndHandler(nothing -> within(deadlines.answer(), connection, turn));
            request.response().endHandler(nothing -> {
                if (turn.requests == mine) {
                    within(deadlines.next(), connection, turn);
                }
            });
        }
        then.handle(request);
    }

    private void within(Duration limit, HttpConnection connection, Turn turn) {
        vertx.cancelTimer(turn.timer);
        turn.timer = vertx.setTimer(limit.toMillis(), fired -> {
            metrics.failed("any", "slow");
            connection.close();
        });
    }
}
