package io.gpushare.extender.server;

import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The PEM files that TLS is made of.
 *
 * @param certificate the server's certificate, and those between it and its authority
 * @param key its private key, unencrypted
 * @param clientCa whose certificates callers must show; null asks callers for none
 */
public record TlsFiles(Path certificate, Path key, @Nullable Path clientCa) {
    public TlsFiles {
        Objects.requireNonNull(certificate);
        Objects.requireNonNull(key);
    }
}
