package io.gpushare.extender.server;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.io.IOException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies changed TLS files to new connections. It compares contents, not modification times: the kubelet updates a
 * Secret's volume by one symbolic link above the files. Files that don't belong together, as during an update, change
 * nothing.
 */
final class TlsReload {
    private static final Logger LOG = LoggerFactory.getLogger(TlsReload.class);

    private static final Duration UPDATE_TIMEOUT = Duration.ofSeconds(30);

    private final Vertx vertx;
    private final TlsFiles files;
    private TlsContents served;
    // The last problem, which is logged once.
    private @Nullable String problem;

    /** Reads the files for the first time. */
    TlsReload(Vertx vertx, TlsFiles files) throws IOException {
        this.vertx = vertx;
        this.files = files;
        served = TlsContents.read(files);
        log(served.check(vertx));
    }

    private static void log(X509Certificate certificate) {
        LOG.info(
                "TLS with the certificate of {}, valid until {}",
                certificate.getSubjectX500Principal(),
                certificate.getNotAfter().toInstant());
    }

    /**
     * Configures a server that starts.
     *
     * @param certificates whether clients are asked for a certificate
     */
    void into(HttpServerOptions options, boolean certificates) {
        ServerSSLOptions ssl = served.options(certificates);
        options.setSsl(true)
                .setKeyCertOptions(ssl.getKeyCertOptions())
                .setTrustOptions(ssl.getTrustOptions())
                .setClientAuth(ssl.getClientAuth());
    }

    /**
     * Reads the files once; blocks until the server uses them.
     *
     * @param server one of those that share the port; the others follow it
     * @param view one of those of the view's port, which asks for no certificates
     */
    synchronized void check(HttpServer server, Optional<HttpServer> view) {
        try {
            TlsContents now = TlsContents.read(files);
            if (!now.equals(served)) {
                X509Certificate certificate = now.check(vertx);
                ExtenderServer.await(server.updateSSLOptions(now.options(true)), UPDATE_TIMEOUT);
                if (view.isPresent()) {
                    ExtenderServer.await(view.get().updateSSLOptions(now.options(false)), UPDATE_TIMEOUT);
                }
                served = now;
                log(certificate);
            }
            problem = null;
        } catch (IOException | RuntimeException e) {
            String why = String.valueOf(e.getMessage());
            if (!why.equals(problem)) {
                LOG.warn("the changed TLS files are rejected, the previous ones stay in use: {}", why);
            }
            problem = why;
        }
    }
}
