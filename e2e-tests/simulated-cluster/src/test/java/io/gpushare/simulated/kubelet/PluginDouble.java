package io.gpushare.simulated.kubelet;

import io.gpushare.api.deviceplugin.v1beta1.AllocateRequest;
import io.gpushare.api.deviceplugin.v1beta1.AllocateResponse;
import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpushare.api.deviceplugin.v1beta1.ContainerPreferredAllocationResponse;
import io.gpushare.api.deviceplugin.v1beta1.Device;
import io.gpushare.api.deviceplugin.v1beta1.DevicePluginGrpc;
import io.gpushare.api.deviceplugin.v1beta1.DevicePluginOptions;
import io.gpushare.api.deviceplugin.v1beta1.Empty;
import io.gpushare.api.deviceplugin.v1beta1.ListAndWatchResponse;
import io.gpushare.api.deviceplugin.v1beta1.PreferredAllocationRequest;
import io.gpushare.api.deviceplugin.v1beta1.PreferredAllocationResponse;
import io.gpushare.api.deviceplugin.v1beta1.RegisterRequest;
import io.gpushare.api.deviceplugin.v1beta1.RegistrationGrpc;
import io.gpushare.simulated.kubelet.devices.UnixSockets;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A device plugin with four devices that records the kubelet's calls and prefers the devices that a test sets. */
final class PluginDouble extends DevicePluginGrpc.DevicePluginImplBase implements AutoCloseable {
    static final String RESOURCE = "example.com/thing";

    final List<List<String>> allocated = new CopyOnWriteArrayList<>();
    final List<PreferredAllocationRequest> preferences = new CopyOnWriteArrayList<>();
    volatile List<String> preferred = List.of();
    volatile String refusal = "";
    volatile Runnable duringAllocate = () -> {};
    private final UnixSockets sockets = new UnixSockets();
    private final KubeletOptions kubelet;
    private final Server server;

    PluginDouble(KubeletOptions kubelet, String endpoint) throws IOException {
        this.kubelet = kubelet;
        server = sockets.serve(kubelet.plugins().resolve(endpoint), this);
        register(endpoint);
    }

    private void register(String endpoint) {
        ManagedChannel channel = sockets.connect(kubelet.registrationSocket());
        RegistrationGrpc.newBlockingStub(channel)
                .register(RegisterRequest.newBuilder()
                        .setVersion("v1beta1")
                        .setEndpoint(endpoint)
                        .setResourceName(RESOURCE)
                        .build());
        channel.shutdownNow();
    }

    @Override
    public void getDevicePluginOptions(Empty request, StreamObserver<DevicePluginOptions> observer) {
        observer.onNext(DevicePluginOptions.newBuilder()
                .setGetPreferredAllocationAvailable(true)
                .build());
        observer.onCompleted();
    }

    @Override
    public void listAndWatch(Empty request, StreamObserver<ListAndWatchResponse> observer) {
        ListAndWatchResponse.Builder devices = ListAndWatchResponse.newBuilder();
        for (String id : new String[] {"a", "b", "c", "d", "sick"}) {
            devices.addDevices(Device.newBuilder().setID(id).setHealth(id.equals("sick") ? "Unhealthy" : "Healthy"));
        }
        observer.onNext(devices.build());
    }

    @Override
    public void getPreferredAllocation(
            PreferredAllocationRequest request, StreamObserver<PreferredAllocationResponse> observer) {
        preferences.add(request);
        observer.onNext(PreferredAllocationResponse.newBuilder()
                .addContainerResponses(
                        ContainerPreferredAllocationResponse.newBuilder().addAllDeviceIDs(preferred))
                .build());
        observer.onCompleted();
    }

    @Override
    public void allocate(AllocateRequest request, StreamObserver<AllocateResponse> observer) {
        List<String> devices = request.getContainerRequests(0).getDevicesIdsList();
        duringAllocate.run();
        if (!refusal.isEmpty()) {
            observer.onError(Status.FAILED_PRECONDITION.withDescription(refusal).asRuntimeException());
            return;
        }
        allocated.add(devices);
        observer.onNext(AllocateResponse.newBuilder()
                .addContainerResponses(ContainerAllocateResponse.newBuilder()
                        .putEnvs(
                                "THINGS",
                                String.join(",", devices.stream().sorted().toList())))
                .build());
        observer.onCompleted();
    }

    @Override
    public void close() {
        server.shutdownNow();
        sockets.close();
    }
}
