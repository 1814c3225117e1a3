package io.gpushare.plugin.allocate.kubelet;

import io.gpushare.api.deviceplugin.v1beta1.RegisterRequest;
import io.gpushare.api.deviceplugin.v1beta1.RegistrationGrpc;
import io.gpushare.plugin.node.sockets.DomainSockets;
import io.gpushare.plugin.node.sockets.Sockets;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one resource registered. Each check compares the desired state with the actual one: the kubelet's socket is the
 * one of the last registration, the plugin's socket is the one that it bound, and the kubelet watches the list.
 *
 * <p>Kubelets up to 1.36 disconnect a new registration when the stream of the previous one ends after it. So the
 * registrar does not register while a stream is open, nor right after a stream ended.
 */
final class Registrar {
    /** The time that a kubelet needs to clean up a stream that ended. */
    static final Duration SETTLE = Duration.ofMillis(500);
    /** The time within which a kubelet calls back after a registration, and the streams of a dead kubelet end. */
    static final Duration TIMEOUT = Duration.ofSeconds(5);

    private static final Logger LOG = LoggerFactory.getLogger(Registrar.class);
    private static final String VERSION = "v1beta1";
    private static final int LARGEST_RESPONSE = 4 << 20;

    private final ResourceServer server;
    private final Path kubeletSocket;
    private final Sockets sockets;
    private final InstantSource clock;
    private Optional<Object> registeredWith = Optional.empty();
    private Instant since = Instant.EPOCH;
    private @Nullable Instant staleStreamSince;
    private String problem = "";
    private final AtomicLong registrations = new AtomicLong();

    Registrar(ResourceServer server, Path kubeletSocket, Sockets sockets, InstantSource clock) {
        this.server = server;
        this.kubeletSocket = kubeletSocket;
        this.sockets = sockets;
        this.clock = clock;
    }

    /** Checks once and repairs what differs. */
    void check() {
        try {
            reconcile(clock.instant());
        } catch (IOException | StatusRuntimeException e) {
            warnOnce("resource " + name() + " can't be registered with the kubelet, retrying: " + e);
        }
    }

    private void reconcile(Instant now) throws IOException {
        if (!server.hasList()) {
            return;
        }
        Optional<Object> kubelet = DomainSockets.identity(kubeletSocket);
        if (kubelet.isEmpty()) {
            warnOnce("no kubelet at " + kubeletSocket + ", waiting for it");
            return;
        }
        if (!server.serving()) {
            server.start();
            registeredWith = Optional.empty();
        }
        if (kubelet.equals(registeredWith) && (server.watched() || starting(now))) {
            return;
        }
        if (server.watched()) {
            // The stream of a stopped kubelet: it ends by itself, or with our server.
            staleStreamSince = staleStreamSince == null ? now : staleStreamSince;
            if (!within(TIMEOUT, staleStreamSince, now)) {
                server.start();
            }
            return;
        }
        staleStreamSince = null;
        if (server.lastStreamEnd().filter(end -> within(SETTLE, end, now)).isEmpty()) {
            register(kubelet, now);
        }
    }

    /** Whether the server listens on its socket. */
    boolean serving() {
        try {
            return server.serving();
        } catch (IOException e) {
            warnOnce("the socket of " + name() + " can't be read: " + e);
            return false;
        }
    }

    /** Ends the present registration, if there is one; the next checks make another one. */
    void renew() {
        try {
            server.renew();
        } catch (IOException e) {
            warnOnce("resource " + name() + " can't be registered with the kubelet, retrying: " + e);
        }
    }

    /** Whether the kubelet may still call back after the registration. */
    private boolean starting(Instant now) {
        boolean ended = server.lastStreamEnd().filter(end -> end.isAfter(since)).isPresent();
        return !ended && within(TIMEOUT, since, now);
    }

    private static boolean within(Duration time, Instant start, Instant now) {
        return now.isBefore(start.plus(time));
    }

    private void register(Optional<Object> kubelet, Instant now) {
        ManagedChannel channel = sockets.channel(kubeletSocket, LARGEST_RESPONSE);
        try {
            RegistrationGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(10, TimeUnit.SECONDS)
                    .register(RegisterRequest.newBuilder()
                            .setVersion(VERSION)
                            .setEndpoint(
                                    server.endpoint().socket().getFileName().toString())
                            .setResourceName(name())
                            .setOptions(server.options())
                            .build());
        } finally {
            channel.shutdownNow();
        }
        registeredWith = kubelet;
        since = now;
        registrations.incrementAndGet();
        problem = "";
        LOG.info("registered {} with the kubelet", name());
    }

    /** The resource's name. */
    String name() {
        return server.endpoint().name();
    }

    /** The number of registrations so far. */
    long registrations() {
        return registrations.get();
    }

    private void warnOnce(String now) {
        if (!now.equals(problem)) {
            LOG.warn(now);
            problem = now;
        }
    }

    /** Stops the server and removes its socket. */
    void close() {
        try {
            server.stop();
        } catch (IOException e) {
            LOG.warn("the socket of {} could not be removed: {}", name(), e.toString());
        }
    }
}
