package io.gpushare.plugin.kubelet;

import io.gpushare.api.deviceplugin.v1beta1.AllocateRequest;
import io.gpushare.api.deviceplugin.v1beta1.AllocateResponse;
import io.gpushare.api.deviceplugin.v1beta1.CDIDevice;
import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateRequest;
import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpushare.api.deviceplugin.v1beta1.ContainerPreferredAllocationRequest;
import io.gpushare.api.deviceplugin.v1beta1.ContainerPreferredAllocationResponse;
import io.gpushare.api.deviceplugin.v1beta1.DevicePluginGrpc;
import io.gpushare.api.deviceplugin.v1beta1.DevicePluginOptions;
import io.gpushare.api.deviceplugin.v1beta1.DeviceSpec;
import io.gpushare.api.deviceplugin.v1beta1.Empty;
import io.gpushare.api.deviceplugin.v1beta1.ListAndWatchResponse;
import io.gpushare.api.deviceplugin.v1beta1.PreStartContainerRequest;
import io.gpushare.api.deviceplugin.v1beta1.PreStartContainerResponse;
import io.gpushare.api.deviceplugin.v1beta1.PreferredAllocationRequest;
import io.gpushare.api.deviceplugin.v1beta1.PreferredAllocationResponse;
import io.gpushare.plugin.allocation.AllocationResponse;
import io.gpushare.plugin.devices.DeviceResource;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The kubelet's device plugin protocol for one resource. */
final class DevicePluginService extends DevicePluginGrpc.DevicePluginImplBase {
    /** Sent with the registration too: kubelets of 1.20 read it there and never ask. */
    static final DevicePluginOptions OPTIONS = DevicePluginOptions.newBuilder()
            .setGetPreferredAllocationAvailable(true)
            .build();

    private static final Logger LOG = LoggerFactory.getLogger(DevicePluginService.class);

    private final DeviceResource resource;
    private final CallHandler doorkeeper;
    private final Consumer<ServerCallStreamObserver<ListAndWatchResponse>> watching;

    DevicePluginService(
            DeviceResource resource,
            CallHandler doorkeeper,
            Consumer<ServerCallStreamObserver<ListAndWatchResponse>> watching) {
        this.resource = resource;
        this.doorkeeper = doorkeeper;
        this.watching = watching;
    }

    @Override
    public void getDevicePluginOptions(Empty request, StreamObserver<DevicePluginOptions> kubelet) {
        answer(kubelet, OPTIONS);
    }

    @Override
    public void listAndWatch(Empty request, StreamObserver<ListAndWatchResponse> kubelet) {
        watching.accept((ServerCallStreamObserver<ListAndWatchResponse>) kubelet);
    }

    @Override
    public void getPreferredAllocation(
            PreferredAllocationRequest request, StreamObserver<PreferredAllocationResponse> kubelet) {
        PreferredAllocationResponse.Builder answer = PreferredAllocationResponse.newBuilder();
        for (ContainerPreferredAllocationRequest container : request.getContainerRequestsList()) {
            answer.addContainerResponses(
                    ContainerPreferredAllocationResponse.newBuilder().addAllDeviceIDs(preferred(container)));
        }
        answer(kubelet, answer.build());
    }

    /** An error here would reject the pod, and a wish is not worth that. */
    private List<String> preferred(ContainerPreferredAllocationRequest container) {
        try {
            return doorkeeper.preferred(
                    resource,
                    container.getAvailableDeviceIDsList(),
                    container.getMustIncludeDeviceIDsList(),
                    container.getAllocationSize());
        } catch (RuntimeException e) {
            LOG.error("no devices could be preferred, the kubelet chooses", e);
            return List.of();
        }
    }

    @Override
    public void allocate(AllocateRequest request, StreamObserver<AllocateResponse> kubelet) {
        AllocateResponse.Builder answer = AllocateResponse.newBuilder();
        try {
            for (ContainerAllocateRequest container : request.getContainerRequestsList()) {
                switch (doorkeeper.allocate(resource, container.getDevicesIdsList())) {
                    case AllocationResponse.Given given -> answer.addContainerResponses(response(given));
                    case AllocationResponse.Refused(var _, String reason) -> {
                        kubelet.onError(Status.FAILED_PRECONDITION
                                .withDescription(reason)
                                .asRuntimeException());
                        return;
                    }
                }
            }
        } catch (RuntimeException e) {
            LOG.error("an Allocate failed", e);
            kubelet.onError(Status.INTERNAL
                    .withDescription("the GPU device plugin failed, see its log: " + e)
                    .asRuntimeException());
            return;
        }
        answer(kubelet, answer.build());
    }

    private static ContainerAllocateResponse response(AllocationResponse.Given given) {
        ContainerAllocateResponse.Builder response =
                ContainerAllocateResponse.newBuilder().putAllEnvs(given.environment());
        for (String file : given.deviceFiles()) {
            response.addDevices(DeviceSpec.newBuilder()
                    .setHostPath(file)
                    .setContainerPath(file)
                    .setPermissions("rw"));
        }
        given.cdiDevices()
                .forEach(name -> response.addCdiDevices(CDIDevice.newBuilder().setName(name)));
        return response.build();
    }

    /** Never asked for: the options say so. */
    @Override
    public void preStartContainer(PreStartContainerRequest request, StreamObserver<PreStartContainerResponse> kubelet) {
        answer(kubelet, PreStartContainerResponse.getDefaultInstance());
    }

    private static <T> void answer(StreamObserver<T> kubelet, T answer) {
        kubelet.onNext(answer);
        kubelet.onCompleted();
    }
}
