package io.gpushare.simulated.kubelet;

import io.gpushare.api.deviceplugin.v1beta1.AllocateRequest;
import io.gpushare.api.deviceplugin.v1beta1.AllocateResponse;
import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpushare.api.deviceplugin.v1beta1.Device;
import io.gpushare.api.deviceplugin.v1beta1.DevicePluginGrpc;
import io.gpushare.api.deviceplugin.v1beta1.DevicePluginOptions;
import io.gpushare.api.deviceplugin.v1beta1.Empty;
import io.gpushare.api.deviceplugin.v1beta1.ListAndWatchResponse;
import io.gpushare.api.deviceplugin.v1beta1.RegisterRequest;
import io.gpushare.api.deviceplugin.v1beta1.RegistrationGrpc;
import io.gpushare.simulated.kubelet.devices.UnixSockets;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A device plugin whose devices never change, and which registers once, when it starts. */
public final class PluginServer implements AutoCloseable {
    private final UnixSockets sockets = new UnixSockets();
    private final Path socket;
    private final Server server;

    /** What the plugin gives a container for a number of devices. */
    @FunctionalInterface
    public interface Allocator {
        /**
         * The environment of the container.
         *
         * @throws IllegalStateException with the reason if it gets none
         */
        Map<String, String> environment(int devices);
    }

    /** Serves and registers with the kubelet that has this directory. */
    public PluginServer(Path kubelet, String name, String resource, List<String> devices, Allocator allocator)
            throws IOException {
        socket = kubelet.resolve("device-plugins").resolve(name);
        server = sockets.serve(socket, new Plugin(devices, allocator));
        ManagedChannel channel = sockets.connect(kubelet.resolve("device-plugins/kubelet.sock"));
        RegistrationGrpc.newBlockingStub(channel)
                .register(RegisterRequest.newBuilder()
                        .setVersion("v1beta1")
                        .setEndpoint(name)
                        .setResourceName(resource)
                        .build());
        channel.shutdownNow();
    }

    private static final class Plugin extends DevicePluginGrpc.DevicePluginImplBase {
        private final List<String> devices;
        private final Allocator allocator;

        Plugin(List<String> devices, Allocator allocator) {
            this.devices = List.copyOf(devices);
            this.allocator = allocator;
        }

        @Override
        public void getDevicePluginOptions(Empty request, StreamObserver<DevicePluginOptions> observer) {
            observer.onNext(DevicePluginOptions.getDefaultInstance());
            observer.onCompleted();
        }

        @Override
        public void listAndWatch(Empty request, StreamObserver<ListAndWatchResponse> observer) {
            ListAndWatchResponse.Builder list = ListAndWatchResponse.newBuilder();
            devices.forEach(id -> list.addDevices(Device.newBuilder().setID(id).setHealth("Healthy")));
            observer.onNext(list.build());
        }

        @Override
        public synchronized void allocate(AllocateRequest request, StreamObserver<AllocateResponse> observer) {
            try {
                int count = request.getContainerRequests(0).getDevicesIdsCount();
                observer.onNext(AllocateResponse.newBuilder()
                        .addContainerResponses(
                                ContainerAllocateResponse.newBuilder().putAllEnvs(allocator.environment(count)))
                        .build());
                observer.onCompleted();
            } catch (IllegalStateException e) {
                observer.onError(Status.INTERNAL.withDescription(e.getMessage()).asRuntimeException());
            }
        }
    }

    @Override
    public void close() {
        server.shutdownNow();
        sockets.close();
        try {
            Files.deleteIfExists(socket);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
