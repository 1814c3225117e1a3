package io.gpushare.extender.server;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import javax.net.ssl.KeyManager;
import javax.net.ssl.X509KeyManager;
import org.jspecify.annotations.Nullable;

/** The contents of the TLS files at one moment. */
record TlsContents(Buffer certificate, Buffer key, @Nullable Buffer clientCa) {
    private static final String[] KEY_TYPES = {"EC", "RSA", "EdDSA", "Ed25519", "Ed448", "RSASSA-PSS"};
    private static final byte[] PROBE = {1, 2, 3};

    static TlsContents read(TlsFiles files) throws IOException {
        @Nullable Path clientCa = files.clientCa();
        return new TlsContents(
                bytes(files.certificate()), bytes(files.key()), clientCa == null ? null : bytes(clientCa));
    }

    private static Buffer bytes(Path file) throws IOException {
        try {
            return Buffer.buffer(Files.readAllBytes(file));
        } catch (IOException e) {
            throw new IOException(file + " can't be read: " + e.getClass().getSimpleName(), e);
        }
    }

    /**
     * Checks that key, certificate and client authority can be used and returns the server's certificate. The JDK would
     * accept a key that belongs to another certificate, and every handshake would fail.
     */
    X509Certificate check(Vertx vertx) throws IOException {
        try {
            X509Certificate own = certificateWithItsKey(vertx);
            if (clientCa != null && trust(clientCa).getTrustManagerFactory(vertx) == null) {
                throw new IOException("the client CA file holds no certificate");
            }
            return own;
        } catch (IOException e) {
            throw e;
        } catch (Exception e) { // the PEM reader's own exceptions
            throw new IOException("the TLS files are not PEM certificates and a PEM key: " + e.getMessage(), e);
        }
    }

    private X509Certificate certificateWithItsKey(Vertx vertx) throws Exception {
        for (KeyManager manager : pair().getKeyManagerFactory(vertx).getKeyManagers()) {
            for (String type : KEY_TYPES) {
                X509KeyManager x509 = (X509KeyManager) manager;
                String @Nullable [] aliases = x509.getServerAliases(type, null);
                if (aliases != null && aliases.length > 0) {
                    X509Certificate own = x509.getCertificateChain(aliases[0])[0];
                    if (!belongs(x509.getPrivateKey(aliases[0]), own)) {
                        throw new IOException("the private key does not belong to the certificate");
                    }
                    return own;
                }
            }
        }
        throw new IOException("the type of the certificate's key is none of " + Arrays.toString(KEY_TYPES));
    }

    private static boolean belongs(PrivateKey key, X509Certificate certificate) throws GeneralSecurityException {
        String algorithm = switch (key.getAlgorithm()) {
            case "EC" -> "SHA256withECDSA";
            case "RSA" -> "SHA256withRSA";
            default -> key.getAlgorithm();
        };
        if (!key.getAlgorithm().equals(certificate.getPublicKey().getAlgorithm())) {
            return false;
        }
        Signature signature = Signature.getInstance(algorithm);
        signature.initSign(key);
        signature.update(PROBE);
        byte[] signed = signature.sign();
        signature.initVerify(certificate.getPublicKey());
        signature.update(PROBE);
        return signature.verify(signed);
    }

    private PemKeyCertOptions pair() {
        return new PemKeyCertOptions().addCertValue(certificate).addKeyValue(key);
    }

    private static PemTrustOptions trust(Buffer authority) {
        return new PemTrustOptions().addCertValue(authority);
    }

    /**
     * Configures a server that starts. Client certificates are requested here and required by path: probes have none.
     */
    void into(HttpServerOptions options) {
        options.setSsl(true).setKeyCertOptions(pair());
        if (clientCa != null) {
            options.setTrustOptions(trust(clientCa)).setClientAuth(ClientAuth.REQUEST);
        }
    }

    /** The configuration for a running server. */
    ServerSSLOptions options() {
        ServerSSLOptions options = new ServerSSLOptions().setKeyCertOptions(pair());
        options.setUseAlpn(false);
        if (clientCa != null) {
            options.setTrustOptions(trust(clientCa));
            options.setClientAuth(ClientAuth.REQUEST);
        }
        return options;
    }
}
