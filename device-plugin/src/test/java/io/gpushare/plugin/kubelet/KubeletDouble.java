package io.gpushare.plugin.kubelet;

import io.gpushare.api.deviceplugin.v1beta1.Device;
import io.gpushare.api.deviceplugin.v1beta1.DevicePluginGrpc;
import io.gpushare.api.deviceplugin.v1beta1.DevicePluginOptions;
import io.gpushare.api.deviceplugin.v1beta1.Empty;
import io.gpushare.api.deviceplugin.v1beta1.ListAndWatchResponse;
import io.gpushare.api.deviceplugin.v1beta1.RegisterRequest;
import io.gpushare.api.deviceplugin.v1beta1.RegistrationGrpc;
import io.gpushare.api.podresources.v1.ListPodResourcesRequest;
import io.gpushare.api.podresources.v1.ListPodResourcesResponse;
import io.gpushare.api.podresources.v1.PodResourcesListerGrpc;
import io.grpc.BindableService;
import io.grpc.Context;
import io.grpc.ManagedChannel;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A kubelet on real sockets: accepts registrations, calls back, watches lists, and serves pod-resources. */
public final class KubeletDouble implements AutoCloseable {
    /** A registration, the plugin's options, and the stream that watches its list. */
    public record Plugin(
            RegisterRequest request,
            DevicePluginOptions options,
            ManagedChannel channel,
            Context.CancellableContext stream,
            CopyOnWriteArrayList<List<Device>> lists,
            AtomicBoolean open) {}

    private final Path dir;
    private final DomainSockets sockets = new DomainSockets();
    private final Map<String, Plugin> plugins = new ConcurrentHashMap<>();
    private final List<String> registrations = new CopyOnWriteArrayList<>();
    private final AtomicInteger registeredBesideAnOpenStream = new AtomicInteger();
    private final AtomicInteger refuseLists = new AtomicInteger();
    private volatile ListPodResourcesResponse podResources = ListPodResourcesResponse.getDefaultInstance();
    private final List<Server> servers = new ArrayList<>();

    /** A kubelet with that directory; not started yet. */
    public KubeletDouble(Path dir) throws IOException {
        this.dir = dir;
        Files.createDirectories(dir.resolve("device-plugins"));
        Files.createDirectories(dir.resolve("pod-resources"));
    }

    /** Starts like a kubelet: it first removes every socket in the plugins' directory. */
    public KubeletDouble start() throws IOException {
        try (var files = Files.list(dir.resolve("device-plugins"))) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        serve(dir.resolve("device-plugins/kubelet.sock"), new Registration());
        Files.deleteIfExists(dir.resolve("pod-resources/kubelet.sock"));
        serve(dir.resolve("pod-resources/kubelet.sock"), new Lister());
        return this;
    }

    private void serve(Path socket, BindableService service) throws IOException {
        servers.add(sockets.server(socket).addService(service).build().start());
    }

    /** Stops without cleaning up: streams and sockets end, the files stay. */
    public void stop() {
        plugins.values().forEach(plugin -> plugin.channel().shutdownNow());
        plugins.clear();
        servers.forEach(Server::shutdownNow);
        servers.forEach(KubeletDouble::awaitEnd);
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

    /** Ends the stream of that resource and nothing else. */
    public void cancelStream(String resource) {
        plugin(resource).stream().cancel(null);
    }

    public Plugin plugin(String resource) {
        return Objects.requireNonNull(plugins.get(resource));
    }

    /** The newest list of that resource; empty before there is one. */
    public Optional<List<Device>> devices(String resource) {
        return Optional.ofNullable(plugins.get(resource))
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
        return DevicePluginGrpc.newBlockingStub(plugin(resource).channel()).withDeadlineAfter(5, TimeUnit.SECONDS);
    }

    /** The names of the resources in the order in which they were registered. */
    public List<String> registrations() {
        return registrations;
    }

    /** How often a resource was registered while an older stream of it was open. */
    public int registeredBesideAnOpenStream() {
        return registeredBesideAnOpenStream.get();
    }

    public void podResources(ListPodResourcesResponse answer) {
        podResources = answer;
    }

    /** The next so many lists of pod-resources are refused as a burst. */
    public void refuseLists(int count) {
        refuseLists.set(count);
    }

    @Override
    public void close() {
        stop();
        sockets.close();
    }

    private final class Registration extends RegistrationGrpc.RegistrationImplBase {
        @Override
        public void register(RegisterRequest request, StreamObserver<Empty> answer) {
            @Nullable Plugin before = plugins.get(request.getResourceName());
            if (before != null && before.open().get()) {
                registeredBesideAnOpenStream.incrementAndGet();
            }
            ManagedChannel channel =
                    sockets.channel(dir.resolve("device-plugins").resolve(request.getEndpoint()), 4 << 20);
            DevicePluginOptions options = DevicePluginGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(5, TimeUnit.SECONDS)
                    .getDevicePluginOptions(Empty.getDefaultInstance());
            Context.CancellableContext stream = Context.current().fork().withCancellation();
            Plugin plugin = new Plugin(
                    request, options, channel, stream, new CopyOnWriteArrayList<>(), new AtomicBoolean(true));
            plugins.put(request.getResourceName(), plugin);
            registrations.add(request.getResourceName());
            answer.onNext(Empty.getDefaultInstance());
            answer.onCompleted();
            stream.run(() ->
                    DevicePluginGrpc.newStub(channel).listAndWatch(Empty.getDefaultInstance(), new Reader(plugin)));
        }
    }

    private static final class Reader implements StreamObserver<ListAndWatchResponse> {
        private final Plugin plugin;

        Reader(Plugin plugin) {
            this.plugin = plugin;
        }

        @Override
        public void onNext(ListAndWatchResponse list) {
            plugin.lists().add(list.getDevicesList());
        }

        @Override
        public void onError(Throwable e) {
            plugin.open().set(false);
        }

        @Override
        public void onCompleted() {
            plugin.open().set(false);
        }
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
