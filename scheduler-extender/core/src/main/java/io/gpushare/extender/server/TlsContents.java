package io.gpushare.extender.server;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.InvalidKeyException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import javax.net.ssl.X509KeyManager;
import org.jspecify.annotations.Nullable;

/** The contents of the TLS files at one moment. */
record TlsContents(Buffer certificate, Buffer key, @Nullable Buffer clientCa) {
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
     * The configuration of a server.
     *
     * @param certificates whether clients are asked for a certificate; it is required by path, because probes have none
     */
    ServerSSLOptions options(boolean certificates) {
        ServerSSLOptions options = new ServerSSLOptions()
                .setKeyCertOptions(
                        new PemKeyCertOptions().addCertValue(certificate).addKeyValue(key));
        options.setUseAlpn(false);
        if (clientCa != null && certificates) {
            options.setTrustOptions(new PemTrustOptions().addCertValue(clientCa));
            options.setClientAuth(ClientAuth.REQUEST);
        }
        return options;
    }

    /**
     * Checks that key, certificate and client authority can be used and returns the server's certificate. The JDK would
     * accept a key that belongs to another certificate, and every handshake would fail.
     */
    X509Certificate check(Vertx vertx) throws IOException {
        try {
            ServerSSLOptions options = options(true);
            X509Certificate own = (X509Certificate) CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(certificate.getBytes()));
            X509KeyManager keys = (X509KeyManager)
                    options.getKeyCertOptions().getKeyManagerFactory(vertx).getKeyManagers()[0];
            String @Nullable [] aliases =
                    keys.getServerAliases(own.getPublicKey().getAlgorithm(), null);
            if (aliases == null || !belongs(keys.getPrivateKey(aliases[0]), own)) {
                throw new IOException("the private key does not belong to the certificate");
            }
            if (clientCa != null && options.getTrustOptions().getTrustManagerFactory(vertx) == null) {
                throw new IOException("the client CA file holds no certificate");
            }
            return own;
        } catch (IOException e) {
            throw e;
        } catch (Exception e) { // the PEM reader's own exceptions
            throw new IOException("the TLS files are not PEM certificates and a PEM key: " + e.getMessage(), e);
        }
    }

    private static boolean belongs(PrivateKey key, X509Certificate certificate) throws Exception {
        String kind = certificate.getPublicKey().getAlgorithm();
        Signature signature = Signature.getInstance(
                switch (kind) {
                    case "EC" -> "SHA256withECDSA";
                    case "RSA" -> "SHA256withRSA";
                    default -> kind;
                });
        try {
            signature.initSign(key);
        } catch (InvalidKeyException e) { // of another kind
            return false;
        }
        byte[] signed = signature.sign();
        signature.initVerify(certificate.getPublicKey());
        return signature.verify(signed);
    }
}
