package io.gpushare.extender.server;

import io.gpushare.extender.protocol.RequestObserver;
import io.gpushare.time.Machine;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import javax.net.ssl.SSLPeerUnverifiedException;

/**
 * The open connections of one event loop, and when they are closed.
 *
 * <p>Slow callers: each step of an exchange has one deadline, except for the extender's own work. vertx-web's timeouts
 * begin with a request and do not cover a caller that sends none. All connections are checked periodically, because a
 * timer for each step would cost more than the step.
 *
 * <p>An extender that is not ready: kube-scheduler keeps its connections, and one through kube-proxy's NodePort stays
 * with the extender that it reached first. Therefore each response of an extender that is not ready is the last one of
 * its connection, and idle connections are closed when it stops to be ready: the next request reaches the leader.
 */
final class Connections implements Handler<HttpServerRequest> {
    private static final Duration LONGEST_PERIOD = Duration.ofSeconds(1);
    private static final Duration UNLIMITED = Duration.ofDays(365);
    // The fraction of a deadline by which a caller may exceed it.
    private static final int FRACTION = 10;

    /** The current step of a connection. */
    private static final class Step {
        private final ConnectionLimit.Use use;
        private long requests;
        private long responses;
        private boolean last;
        private long until;

        Step(ConnectionLimit.Use use) {
            this.use = use;
        }

        void within(Duration limit) {
            until = Machine.here().nanos() + limit.toNanos();
        }

        boolean late() {
            return Machine.here().nanos() - until > 0;
        }

        /**
         * Whether it has been used and waits for its next request. The first request of a new one may be on its way.
         */
        boolean idle() {
            return requests > 0 && responses == requests;
        }
    }

    private final Deadlines deadlines;
    private final RequestObserver requests;
    private final BooleanSupplier ready;
    private final Handler<HttpServerRequest> then;
    private final IdentityHashMap<HttpConnection, Step> steps = new IdentityHashMap<>();
    private boolean wasReady;

    /**
     * Belongs to the event loop that calls this.
     *
     * @param ready whether the extender can serve requests now
     */
    Connections(
            Vertx vertx,
            Deadlines deadlines,
            RequestObserver requests,
            BooleanSupplier ready,
            Handler<HttpServerRequest> then) {
        this.deadlines = deadlines;
        this.requests = requests;
        this.ready = ready;
        this.then = then;
        Duration period = Collections.min(List.of(
                        deadlines.head(),
                        deadlines.body(),
                        deadlines.response(),
                        deadlines.next(),
                        LONGEST_PERIOD.multipliedBy(FRACTION)))
                .dividedBy(FRACTION);
        vertx.setPeriodic(Math.max(1, period.toMillis()), fired -> check());
    }

    void connected(HttpConnection connection) {
        Step step = new Step(ConnectionLimit.Use.of(connection));
        if (certified(connection)) {
            step.use.certified();
        }
        steps.put(connection, step);
        connection.closeHandler(nothing -> steps.remove(connection));
        step.within(deadlines.head());
    }

    @Override
    public void handle(HttpServerRequest request) {
        Step step = steps.get(request.connection());
        if (step != null) {
            follow(request, step);
        }
        then.handle(request);
    }

    private void follow(HttpServerRequest request, Step step) {
        HttpServerResponse response = request.response();
        long current = ++step.requests;
        step.within(deadlines.body());
        request.end().onSuccess(nothing -> {
            if (step.requests == current && !response.headWritten()) {
                step.within(UNLIMITED);
                step.use.answering();
            }
        });
        response.headersEndHandler(nothing -> {
            step.within(deadlines.response());
            if (!ready.getAsBoolean()) {
                step.last = true;
                response.putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
            }
        });
        response.endHandler(nothing -> {
            step.responses = current;
            step.use.answered();
            if (step.last) {
                request.connection().close();
            } else if (step.requests == current) {
                step.within(deadlines.next());
            }
        });
    }

    /** Whether the caller has a certificate; one of another authority fails in the handshake. */
    static boolean certified(HttpConnection connection) {
        try {
            return connection.isSsl() && !connection.peerCertificates().isEmpty();
        } catch (SSLPeerUnverifiedException e) {
            return false;
        }
    }

    private void check() {
        boolean isReady = ready.getAsBoolean();
        if (wasReady && !isReady) {
            close(Step::idle);
        }
        wasReady = isReady;
        close(Step::late).forEach(late -> requests.failed("any", "slow"));
    }

    private List<HttpConnection> close(Predicate<Step> when) {
        List<HttpConnection> closed = steps.entrySet().stream()
                .filter(step -> when.test(step.getValue()))
                .map(Map.Entry::getKey)
                .toList();
        for (HttpConnection connection : closed) {
            steps.remove(connection);
            connection.close();
        }
        return closed;
    }
}
