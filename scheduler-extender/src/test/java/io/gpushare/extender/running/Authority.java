package io.gpushare.extender.running;

import java.io.IOException;
import java.math.BigInteger;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Date;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import org.bouncycastle.asn1.ASN1Encodable;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.jspecify.annotations.Nullable;

/** A certificate authority for tests; its keys are in memory. */
public final class Authority {
    private static final char[] PASSWORD = "changeit".toCharArray();
    private static final Duration LIFE = Duration.ofDays(90);
    private static final String CA = "ca";

    private final X500Name name;
    private final KeyStore keys = empty();
    private final AtomicLong serial = new AtomicLong();

    public Authority(String name) throws Exception {
        this.name = new X500Name("CN=" + name);
        issue(CA, this.name, Extension.basicConstraints, new BasicConstraints(true));
    }

    /** Creates a key and a certificate for a server on this machine. */
    public void server(String alias) throws Exception {
        GeneralName[] names = {
            new GeneralName(GeneralName.iPAddress, "127.0.0.1"),
            new GeneralName(GeneralName.dNSName, "api.example.com"),
            new GeneralName(GeneralName.dNSName, "*.clusters.example.com")
        };
        issue(alias, new X500Name("CN=" + alias), Extension.subjectAlternativeName, new GeneralNames(names));
    }

    public void client(String alias) throws Exception {
        issue(
                alias,
                new X500Name("CN=" + alias),
                Extension.extendedKeyUsage,
                new ExtendedKeyUsage(KeyPurposeId.id_kp_clientAuth));
    }

    private void issue(String alias, X500Name subject, ASN1ObjectIdentifier extension, ASN1Encodable value)
            throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        KeyPair pair = generator.generateKeyPair();
        Instant now = Instant.now();
        PrivateKey signer = alias.equals(CA) ? pair.getPrivate() : (PrivateKey) keys.getKey(CA, PASSWORD);
        X509CertificateHolder signed = new JcaX509v3CertificateBuilder(
                        name,
                        BigInteger.valueOf(serial.incrementAndGet()),
                        Date.from(now.minus(LIFE)),
                        Date.from(now.plus(LIFE)),
                        subject,
                        pair.getPublic())
                .addExtension(extension, extension.equals(Extension.basicConstraints), value)
                .build(new JcaContentSignerBuilder("SHA256withECDSA").build(signer));
        Certificate certificate = new JcaX509CertificateConverter().getCertificate(signed);
        Certificate[] chain = alias.equals(CA)
                ? new Certificate[] {certificate}
                : new Certificate[] {certificate, keys.getCertificate(CA)};
        keys.setKeyEntry(alias, pair.getPrivate(), PASSWORD, chain);
    }

    private static KeyStore empty() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    public String certificate(String alias) throws Exception {
        return pem("CERTIFICATE", keys.getCertificate(alias).getEncoded());
    }

    public String key(String alias) throws Exception {
        return pem("PRIVATE KEY", keys.getKey(alias, PASSWORD).getEncoded());
    }

    private static String pem(String kind, byte[] bytes) {
        return "-----BEGIN " + kind + "-----\n"
                + Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                        .encodeToString(bytes)
                + "\n-----END " + kind + "-----\n";
    }

    /** A client context that trusts this authority and presents that certificate, or none. */
    public SSLContext caller(@Nullable Authority issuer, String alias) throws Exception {
        KeyStore trusted = empty();
        trusted.setCertificateEntry("ca", keys.getCertificate(CA));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        KeyManager @Nullable [] managers = issuer == null ? null : new KeyManager[] {issuer.always(alias)};
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers, trust.getTrustManagers(), null);
        return context;
    }

    /** Presents that certificate even if the server requested another issuer. */
    private X509ExtendedKeyManager always(String alias) throws Exception {
        PrivateKey key = (PrivateKey) keys.getKey(alias, PASSWORD);
        Certificate[] chain = keys.getCertificateChain(alias);
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
