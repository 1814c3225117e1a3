package io.gpushare.kubernetes;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Objects;

/** The DNS names for which a server's certificate was issued (RFC 6125). */
final class CertificateNames {
    private static final Integer DNS_NAME = 2;

    private CertificateNames() {}

    /** Whether the certificate is for that host, in lower case; {@code *.} stands for one label. */
    static boolean include(X509Certificate certificate, String host) {
        String wildcard = "*" + host.substring(Math.max(0, host.indexOf('.')));
        try {
            return Objects.requireNonNullElse(certificate.getSubjectAlternativeNames(), List.<List<?>>of()).stream()
                    .filter(name -> name.getFirst().equals(DNS_NAME))
                    .map(name -> String.valueOf(name.getLast()))
                    .anyMatch(name -> name.equalsIgnoreCase(host) || name.equalsIgnoreCase(wildcard));
        } catch (CertificateParsingException _) {
            return false;
        }
    }
}
