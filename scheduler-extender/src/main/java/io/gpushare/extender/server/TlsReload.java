package io.gpushare.extender.server;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import java.io.IOException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes over changed TLS files for new connections. It looks at what the files hold, not at their times: a Secret's volume
 * is changed by one symbolic link above them. Files that don't fit together, as while they are being replaced, change
 * nothing.
 */
final class TlsReload {
    private static final Logger LOG = LoggerFactory.getLogger(TlsReload.class);

    private static final Duration CHANGE_OVER = Duration.ofSeconds(30);

    private final Vertx vertx;
    private final TlsFiles files;
    private final HttpServer server;
    private TlsContents served;
    // Told once, not at every look.
    private @Nullable String trouble;

    /** @param server one of those that share the port; the others follow it */
    TlsReload(Vertx vertx, TlsFiles files, TlsContents served, HttpServer server) {
        this.vertx = vertx;
        this.files = files;
        this.served = served;
        this.server = server;
    }

    static void tell(X509Certificate certificate) {
        LOG.info(
                "TLS with the certificate of {}, valid until {}",
                certificate.getSubjectX500Principal(),
                certificate.getNotAfter().toInstant());
    }

    /** Looks at the files once; blocks while the server changes over. */
    synchronized void look() {
        try {
            TlsContents now = TlsContents.read(files);
            if (!now.equals(served)) {
                X509Certificate certificate = now.check(vertx);
                ExtenderServer.await(server.updateSSLOptions(now.options()), CHANGE_OVER);
                served = now;
                tell(certificate);
            }
            trouble = null;
        } catch (IOException | RuntimeException e) {
            String why = String.valueOf(e.getMessage());
            if (!why.equals(trouble)) {
                LOG.warn("the changed TLS files are not taken, the old ones stay in use: {}", why);
            }
            trouble = why;
        }
    }
}
