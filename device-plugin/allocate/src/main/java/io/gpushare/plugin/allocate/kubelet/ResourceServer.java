package io.gpushare.plugin.allocate.kubelet;

import io.gpushare.api.deviceplugin.v1beta1.Device;
import io.gpushare.api.deviceplugin.v1beta1.DevicePluginOptions;
import io.gpushare.api.deviceplugin.v1beta1.ListAndWatchResponse;
import io.gpushare.plugin.allocate.devices.DeviceLists.Offered;
import io.gpushare.plugin.allocate.devices.DeviceResource;
import io.gpushare.plugin.node.sockets.DomainSockets;
import io.gpushare.plugin.node.sockets.Sockets;
import io.grpc.Server;
import io.grpc.stub.ServerCallStreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The server of one resource on its socket, and the streams on which the kubelet watches its devices. */
final class ResourceServer {
    /** The resource, its name in the cluster, and its socket. */
    record Endpoint(DeviceResource resource, String name, Path socket) {}

    // A kubelet's request names devices of the list, so it can't be much larger than the list.
    private static final int LARGEST_REQUEST = 16 << 20;
    private static final String HEALTHY = "Healthy";
    private static final String UNHEALTHY = "Unhealthy";

    private final Endpoint endpoint;
    private final CallObserver calls;
    private final Sockets sockets;
    private final Executor executor;
    private final InstantSource clock;
    private final DevicePluginService service;
    private final Set<ListStream> streams = new HashSet<>();
    private @Nullable ListAndWatchResponse list;
    private @Nullable ListAndWatchResponse sent;
    private boolean held;
    private @Nullable Instant lastStreamEnd;
    private volatile @Nullable Server server;
    private volatile Optional<Object> bound = Optional.empty();

    ResourceServer(
            Endpoint endpoint,
            CallHandler handler,
            CallObserver calls,
            Sockets sockets,
            Executor executor,
            InstantSource clock) {
        this.endpoint = endpoint;
        this.calls = calls;
        this.sockets = sockets;
        this.executor = executor;
        this.clock = clock;
        this.service = new DevicePluginService(endpoint.resource(), handler, this::opened);
    }

    DevicePluginOptions options() {
        return service.options();
    }

    Endpoint endpoint() {
        return endpoint;
    }

    private static Device message(Offered device) {
        Device.Builder message =
                Device.newBuilder().setID(device.id()).setHealth(device.healthy() ? HEALTHY : UNHEALTHY);
        if (device.numaNode() != null) {
            message.getTopologyBuilder().addNodesBuilder().setID(device.numaNode());
        }
        return message.build();
    }

    /** Sends the list to the kubelet if it differs from the previous one. */
    synchronized void offer(List<Offered> devices) {
        ListAndWatchResponse.Builder changed = ListAndWatchResponse.newBuilder();
        for (Offered device : devices) {
            changed.addDevices(message(device));
        }
        ListAndWatchResponse now = changed.build();
        if (!now.equals(list)) {
            list = now;
            streams.forEach(this::send);
        }
    }

    private void send(ListStream stream) {
        if (list != null && !held) {
            sent = list;
            stream.send(list);
        }
    }

    /**
     * Sends no more lists until {@link #renew}. The streams stay open: each list would replace those of another plugin,
     * and the end of a stream would disconnect it.
     */
    synchronized void hold() {
        held = true;
    }

    /** Starts anew, for another registration; a server that never started is left. */
    void renew() throws IOException {
        synchronized (this) {
            held = false;
        }
        if (server != null) {
            start();
        }
    }

    /** The healthy devices of the last list on the kubelet's stream; empty if it watches none. */
    synchronized Optional<Set<String>> watchedDevices() {
        return streams.isEmpty() || sent == null
                ? Optional.empty()
                : Optional.of(sent.getDevicesList().stream()
                        .filter(device -> device.getHealth().equals(HEALTHY))
                        .map(Device::getID)
                        .collect(Collectors.toSet()));
    }

    /** Whether there is a list: without one a registration would offer nothing. */
    synchronized boolean hasList() {
        return list != null;
    }

    private void opened(ServerCallStreamObserver<ListAndWatchResponse> kubelet) {
        open(kubelet);
        calls.watched();
    }

    private synchronized void open(ServerCallStreamObserver<ListAndWatchResponse> kubelet) {
        ListStream stream = new ListStream(kubelet, this::ended);
        streams.add(stream);
        send(stream);
    }

    private synchronized void ended(ListStream stream) {
        streams.remove(stream);
        lastStreamEnd = clock.instant();
    }

    private synchronized void endStreams() {
        List.copyOf(streams).forEach(ListStream::end);
    }

    synchronized boolean watched() {
        return !streams.isEmpty();
    }

    /** The time when the last stream ended; empty before that. */
    synchronized Optional<Instant> lastStreamEnd() {
        return Optional.ofNullable(lastStreamEnd);
    }

    /** Whether the server runs and its socket is the one that it bound: a kubelet removes it when it starts. */
    boolean serving() throws IOException {
        return server != null
                && bound.isPresent()
                && DomainSockets.identity(endpoint.socket()).equals(bound);
    }

    /** Starts to serve on a new socket. */
    void start() throws IOException {
        stop();
        Files.deleteIfExists(endpoint.socket());
        server = sockets.server(endpoint.socket())
                .maxInboundMessageSize(LARGEST_REQUEST)
                .executor(executor)
                .addService(service)
                .intercept(calls)
                .build()
                .start();
        bound = DomainSockets.identity(endpoint.socket());
    }

    /** Ends all streams and removes the socket, if it is still ours. */
    void stop() throws IOException {
        if (server != null) {
            server.shutdown();
            endStreams();
            try {
                // A call in flight gets its response; a kubelet that hangs does not end its connection.
                if (!server.awaitTermination(1, TimeUnit.SECONDS)
                        && !server.shutdownNow().awaitTermination(2, TimeUnit.SECONDS)) {
                    throw new IOException("the server on " + endpoint.socket() + " does not stop");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            server = null;
        }
        if (bound.isPresent() && DomainSockets.identity(endpoint.socket()).equals(bound)) {
            Files.deleteIfExists(endpoint.socket());
        }
        bound = Optional.empty();
    }
}
