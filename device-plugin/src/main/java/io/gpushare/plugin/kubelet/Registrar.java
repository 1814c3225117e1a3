package io.gpushare.plugin.kubelet;

import io.gpushare.api.deviceplugin.v1beta1.RegisterRequest;
import io.gpushare.api.deviceplugin.v1beta1.RegistrationGrpc;
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
 * Keeps one resource registered. Each look compares what should be with what is: the kubelet's socket is the one that we
 * registered with, our socket is the one that we bound, and the kubelet reads our list. Whatever differs is mended.
 *
 * <p>A kubelet up to 1.36 that sees an old stream end after a new registration disconnects the new one. So nothing is
 * registered while a stream is open, nor right after one ended.
 */
final class Registrar {
    /** The time that a kubelet needs to put away a stream that ended. */
    static final Duration SETTLE = Duration.ofMillis(500);
    /** The time in which a kubelet calls back after a registration; and in which the streams of a dead one end. */
    static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final Logger LOG = LoggerFactory.getLogger(Registrar.class);
    private static final String VERSION = "v1beta1";
    private static final int LARGEST_ANSWER = 4 << 20;

    private final ResourceServer server;
    private final Path kubeletSocket;
    private final DomainSockets sockets;
    private final InstantSource clock;
    private Optional<Object> registeredWith = Optional.empty();
    private Instant since = Instant.EPOCH;
    private @Nullable Instant strangerSince;
    private String trouble = "";
    private final AtomicLong registrations = new AtomicLong();

    Registrar(ResourceServer server, Path kubeletSocket, DomainSockets sockets, InstantSource clock) {
        this.server = server;
        this.kubeletSocket = kubeletSocket;
        this.sockets = sockets;
        this.clock = clock;
    }

    /** Looks once and mends what differs. */
    void look() {
        try {
            mend(clock.instant());
        } catch (IOException | StatusRuntimeException e) {
            trouble("resource " + server.place().name() + " can't be registered with the kubelet, trying again: " + e);
        }
    }

    private void mend(Instant now) throws IOException {
        if (!server.hasList()) {
            return;
        }
        Optional<Object> kubelet = DomainSockets.identity(kubeletSocket);
        if (kubelet.isEmpty()) {
            trouble("there is no kubelet at " + kubeletSocket + ", waiting for it");
            return;
        }
        if (!server.serving()) {
            server.start();
            registeredWith = Optional.empty();
        }
        if (kubelet.equals(registeredWith) && (server.watched() || beginning(now))) {
            return;
        }
        if (server.watched()) {
            // The stream of a kubelet that went: it ends by itself, or with our server.
            strangerSince = strangerSince == null ? now : strangerSince;
            if (!within(PATIENCE, strangerSince, now)) {
                server.start();
            }
            return;
        }
        strangerSince = null;
        if (server.lastStreamEnd().filter(end -> within(SETTLE, end, now)).isEmpty()) {
            register(kubelet, now);
        }
    }

    /** Whether the kubelet may still call back after the registration. */
    private boolean beginning(Instant now) {
        boolean ended = server.lastStreamEnd().filter(end -> end.isAfter(since)).isPresent();
        return !ended && within(PATIENCE, since, now);
    }

    private static boolean within(Duration time, Instant start, Instant now) {
        return now.isBefore(start.plus(time));
    }

    private void register(Optional<Object> kubelet, Instant now) {
        ManagedChannel channel = sockets.channel(kubeletSocket, LARGEST_ANSWER);
        try {
            RegistrationGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(10, TimeUnit.SECONDS)
                    .register(RegisterRequest.newBuilder()
                            .setVersion(VERSION)
                            .setEndpoint(server.place().socket().getFileName().toString())
                            .setResourceName(server.place().name())
                            .setOptions(DevicePluginService.OPTIONS)
                            .build());
        } finally {
            channel.shutdownNow();
        }
        registeredWith = kubelet;
        since = now;
        registrations.incrementAndGet();
        trouble = "";
        LOG.info("registered {} with the kubelet", server.place().name());
    }

    /** The resource's name. */
    String name() {
        return server.place().name();
    }

    /** How often the resource was registered so far. */
    long registrations() {
        return registrations.get();
    }

    private void trouble(String now) {
        if (!now.equals(trouble)) {
            LOG.warn(now);
            trouble = now;
        }
    }

    /** Ends the server and removes its socket. */
    void end() {
        try {
            server.stop();
        } catch (IOException e) {
            LOG.warn(
                    "the socket of {} could not be put away: {}", server.place().name(), e.toString());
        }
    }
}
