package io.gpushare.simulated.kubelet;

import io.gpushare.api.deviceplugin.v1beta1.Device;
import io.gpushare.api.deviceplugin.v1beta1.DevicePluginGrpc;
import io.gpushare.api.deviceplugin.v1beta1.DevicePluginOptions;
import io.gpushare.api.deviceplugin.v1beta1.RegisterRequest;
import io.gpushare.api.podresources.v1.ListPodResourcesRequest;
import io.gpushare.api.podresources.v1.ListPodResourcesResponse;
import io.gpushare.api.podresources.v1.PodResourcesListerGrpc;
import io.gpushare.simulated.kubelet.devices.CheckpointFile;
import io.gpushare.simulated.kubelet.devices.PluginConnection;
import io.gpushare.simulated.kubelet.devices.RegistrationService;
import io.gpushare.simulated.kubelet.devices.UnixSockets;
import io.grpc.BindableService;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A kubelet without pods. Plugins register with it and it reads their lists; the test calls the plugins and sets the
 * response of pod-resources.
 */
public final class ScriptedKubelet implements AutoCloseable {
    /** A registered plugin with all lists that it has sent. */
    public record Plugin(
            RegisterRequest request, PluginConnection connection, CopyOnWriteArrayList<List<Device>> lists) {
        public DevicePluginOptions options() {
            return connection.options();
        }
    }

    private final Path plugins;
    private final Path podResourcesSocket;
    private final UnixSockets sockets = new UnixSockets();
    private final Map<String, Plugin> registered = new ConcurrentHashMap<>();
    private final List<String> registrations = new CopyOnWriteArrayList<>();
    private final AtomicInteger registeredBesideAnOpenStream = new AtomicInteger();
    private final AtomicInteger refuseLists = new AtomicInteger();
    private final List<Server> servers = new ArrayList<>();
    private volatile ListPodResourcesResponse podResources = ListPodResourcesResponse.getDefaultInstance();

    /** Creates a kubelet with its sockets in this directory; {@link #start} starts it. */
    public ScriptedKubelet(Path directory) throws IOException {
        plugins = Files.createDirectories(directory.resolve("device-plugins"));
        podResourcesSocket = directory.resolve("pod-resources").resolve("kubelet.sock");
    }

    /**
     * Removes every file in the plugins' folder but the checkpoint, as kubelets before 1.33 do, and starts the
     * services.
     */
    public ScriptedKubelet start() throws IOException {
        try (var files = Files.list(plugins)) {
            for (Path file : files.toList()) {
                if (!file.endsWith(CheckpointFile.NAME)) {
                    Files.delete(file);
                }
            }
        }
        serve(plugins.resolve("kubelet.sock"), new RegistrationService(plugins, sockets, this::register));
        serve(podResourcesSocket, new Lister());
        return this;
    }

    private void serve(Path socket, BindableService service) throws IOException {
        servers.add(sockets.serve(socket, service));
    }

    private void register(RegisterRequest request, PluginConnection connection) {
        String resource = request.getResourceName();
        Plugin before = registered.get(resource);
        if (before != null && !before.connection().stopped()) {
            registeredBesideAnOpenStream.incrementAndGet();
        }
        Plugin plugin = new Plugin(request, connection, new CopyOnWriteArrayList<>());
        registered.put(resource, plugin);
        registrations.add(resource);
        connection.listAndWatch(plugin.lists()::add, () -> {});
    }

    /** Closes streams and servers but leaves the socket files, as a crash does. */
    public void stop() {
        registered.values().forEach(plugin -> plugin.connection().close());
        registered.clear();
        servers.forEach(Server::shutdownNow);
        servers.forEach(ScriptedKubelet::awaitEnd);
        servers.clear();
    }

    private static void awaitEnd(Server server) {
        try {
            if (!server.awaitTermination(5, TimeUnit.SECONDS)) {
                throw new IllegalStateException("the kubelet's server does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Cancels only the ListAndWatch stream of the resource. */
    public void cancelStream(String resource) {
        plugin(resource).connection().cutStream();
    }

    public Plugin plugin(String resource) {
        return Objects.requireNonNull(registered.get(resource));
    }

    /** The newest list of the resource; empty before the first. */
    public Optional<List<Device>> devices(String resource) {
        return Optional.ofNullable(registered.get(resource))
                .map(Plugin::lists)
                .filter(lists -> !lists.isEmpty())
                .map(List::getLast);
    }

    /** The IDs of the healthy devices in the newest list. */
    public List<String> healthy(String resource) {
        return devices(resource).orElse(List.of()).stream()
                .filter(device -> device.getHealth().equals("Healthy"))
                .map(Device::getID)
                .toList();
    }

    public DevicePluginGrpc.DevicePluginBlockingStub calls(String resource) {
        return plugin(resource).connection().calls();
    }

    /** The names of the resources in the order of their registrations. */
    public List<String> registrations() {
        return registrations;
    }

    /** The number of registrations of a resource while an older stream of it was open. */
    public int registeredBesideAnOpenStream() {
        return registeredBesideAnOpenStream.get();
    }

    /** Sets the response of pod-resources. */
    public void podResources(ListPodResourcesResponse response) {
        podResources = response;
    }

    /** Writes a checkpoint with these answered calls. */
    public void checkpoint(CheckpointFile.Entry... entries) throws IOException {
        new CheckpointFile(plugins, InstantSource.system()).write(List.of(entries), Map.of());
    }

    /** Rejects this many of the next List calls, as the kubelet's rate limit does. */
    public void refuseLists(int count) {
        refuseLists.set(count);
    }

    @Override
    public void close() {
        stop();
        sockets.close();
    }

    private final class Lister extends PodResourcesListerGrpc.PodResourcesListerImplBase {
        @Override
        public void list(ListPodResourcesRequest request, StreamObserver<ListPodResourcesResponse> observer) {
            if (refuseLists.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                observer.onError(Status.RESOURCE_EXHAUSTED
                        .withDescription("rejected by rate limit")
                        .asRuntimeException());
                return;
            }
            observer.onNext(podResources);
            observer.onCompleted();
        }
    }
}
