package io.gpushare.extender.server;

import io.gpushare.extender.http.HttpResponse;
import io.gpushare.extender.metrics.ExtenderMetrics;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import javax.net.ssl.SSLPeerUnverifiedException;

/** Lets a request through only if its caller presented a certificate of the client CA. */
final class ClientCertificates implements Handler<RoutingContext> {
    private static final String MISSING = "this path needs a client certificate of the authority in"
            + " --client-ca-file: name one under tlsConfig in kube-scheduler's configuration";

    private final ExtenderMetrics metrics;

    ClientCertificates(ExtenderMetrics metrics) {
        this.metrics = metrics;
    }

    @Override
    public void handle(RoutingContext context) {
        if (presented(context.request())) {
            context.next();
            return;
        }
        metrics.failed("any", "no_certificate");
        context.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
        HttpResponse.error(context.request(), 401, MISSING);
    }

    /** Whether there is a certificate; one of another authority fails in the handshake. */
    static boolean presented(HttpServerRequest request) {
        try {
            return !request.connection().peerCertificates().isEmpty();
        } catch (SSLPeerUnverifiedException e) {
            return false;
        }
    }
}
