package io.gpushare.insight.running;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/** A certificate authority for tests, created with the JDK's keytool. */
public final class Authority {
    private static final String PASSWORD = "changeit";

    private final Path folder;
    private final Path store;

    public Authority(Path folder, String name) throws Exception {
        this.folder = folder;
        this.store = folder.resolve(name + ".p12");
        keytool("ca", "CN=" + name, "-ext", "bc:critical=ca:true");
    }

    /** Creates a key and a certificate for a server on this machine. */
    public void server(String alias) throws Exception {
        keytool(
                alias,
                "CN=" + alias,
                "-signer",
                "ca",
                "-ext",
                "san=ip:127.0.0.1,dns:api.example.com,dns:*.clusters.example.com",
                "-ext",
                "eku=serverAuth");
    }

    public void client(String alias) throws Exception {
        keytool(alias, "CN=" + alias, "-signer", "ca", "-ext", "eku=clientAuth");
    }

    private void keytool(String alias, String subject, String... more) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keystore",
                store.toString(),
                "-storepass",
                PASSWORD,
                "-alias",
                alias,
                "-dname",
                subject,
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1"));
        command.addAll(List.of(more));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("keytool.log").toFile())
                .start();
        if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
            throw new IllegalStateException("keytool: " + Files.readString(folder.resolve("keytool.log")));
        }
    }

    private KeyStore keys() throws GeneralSecurityException, IOException {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        return keys;
    }

    public String certificate(String alias) throws Exception {
        return pem("CERTIFICATE", keys().getCertificate(alias).getEncoded());
    }

    public String key(String alias) throws Exception {
        return pem("PRIVATE KEY", keys().getKey(alias, PASSWORD.toCharArray()).getEncoded());
    }

    private static String pem(String kind, byte[] bytes) {
        return "-----BEGIN " + kind + "-----\n"
                + Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                        .encodeToString(bytes)
                + "\n-----END " + kind + "-----\n";
    }

    /** A client context that trusts this authority and presents that certificate, or none. */
    public SSLContext caller(@Nullable Authority issuer, String alias) throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("ca", keys().getCertificate("ca"));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        KeyManager @Nullable [] managers = issuer == null ? null : new KeyManager[] {issuer.always(alias)};
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers, trust.getTrustManagers(), null);
        return context;
    }

    /** Presents that certificate even if the server requested another issuer. */
    private X509ExtendedKeyManager always(String alias) throws Exception {
        KeyStore all = keys();
        PrivateKey key = (PrivateKey) all.getKey(alias, PASSWORD.toCharArray());
        Certificate[] chain = all.getCertificateChain(alias);
        X509Certificate[] presented = Arrays.copyOf(chain, chain.length, X509Certificate[].class);
        return new X509ExtendedKeyManager() {
            @Override
            public String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
                return alias;
            }

            @Override
            public String chooseEngineClientAlias(String[] types, Principal[] issuers, SSLEngine engine) {
                return alias;
            }

            @Override
            public X509Certificate[] getCertificateChain(String name) {
                return presented.clone();
            }

            @Override
            public PrivateKey getPrivateKey(String name) {
                return key;
            }

            @Override
            public String[] getClientAliases(String type, Principal[] issuers) {
                return new String[] {alias};
            }

            @Override
            public String @Nullable [] getServerAliases(String type, Principal[] issuers) {
                return null;
            }

            @Override
            public @Nullable String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
                return null;
            }
        };
    }
}
