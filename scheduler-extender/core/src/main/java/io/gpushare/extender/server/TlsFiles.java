package io.gpushare.extender.server;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The PEM files of the TLS configuration.
 *
 * @param certificate the server's certificate chain
 * @param key its private key, unencrypted
 * @param clientCa the authority whose certificates callers must present; null for no client certificates
 */
public record TlsFiles(Path certificate, Path key, @Nullable Path clientCa) {}
