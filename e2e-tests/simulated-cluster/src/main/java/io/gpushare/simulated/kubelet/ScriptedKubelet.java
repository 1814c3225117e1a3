package io.gpushare.simulated.kubelet;

import io.gpushare.api.deviceplugin.v1beta1.Device;
import io.gpushare.api.deviceplugin.v1beta1.DevicePluginGrpc;
import io.gpushare.api.deviceplugin.v1beta1.DevicePluginOptions;
import io.gpushare.api.deviceplugin.v1beta1.RegisterRequest;
import io.gpushare.api.podresources.v1.ListPodResourcesRequest;
import io.gpushare.api.podresources.v1.ListPodResourcesResponse;
import io.gpushare.api.podresources.v1.PodResourcesListerGrpc;
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
 * A kubelet without pods: plugins register with it and it reads their lists, while the test calls the plugins and decides
 * what pod-resources answers.
 */
public final class ScriptedKubelet implements AutoCloseable {
    /** A registered plugin and every list that it has sent. */
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

    /** A kubelet with its sockets in this directory; {@link #start} starts it. */
    public ScriptedKubelet(Path directory) throws IOException {
        plugins = Files.createDirectories(directory.resolve("device-plugins"));
        podResourcesSocket = directory.resolve("pod-resources").resolve("kubelet.sock");
    }

    /** Starts it; every file in the plugins' folder is removed first, as a kubelet does. */
    public ScriptedKubelet start() throws IOException {
        try (var files = Files.list(plugins)) {
            for (Path file : files.toList()) {
                Files.delete(file);
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

    /** Ends streams and servers; the socket files stay, as after a crash. */
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

    /** Cancels the ListAndWatch stream of the resource and nothing else. */
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

    /** IDs of the healthy devices in the newest list. */
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

    /** How often a resource was registered while an older stream of it was open. */
    public int registeredBesideAnOpenStream() {
        return registeredBesideAnOpenStream.get();
    }

    /** What pod-resources answers from now on. */
    public void podResources(ListPodResourcesResponse answer) {
        podResources = answer;
    }

    /** Refuses this many of the next lists of pod-resources, as the kubelet's rate limit does. */
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
        public void list(ListPodResourcesRequest request, StreamObserver<ListPodResourcesResponse> answer) {
            if (refuseLists.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                answer.onError(Status.RESOURCE_EXHAUSTED
                        .withDescription("rejected by rate limit")
                        .asRuntimeException());
                return;
            }
            answer.onNext(podResources);
            answer.onCompleted();
        }
    }
}
