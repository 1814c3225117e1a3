package io.gpushare.plugin.allocate.kubelet;

import io.gpushare.api.deviceplugin.v1beta1.AllocateRequest;
import io.gpushare.api.deviceplugin.v1beta1.AllocateResponse;
import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateRequest;
import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpushare.api.deviceplugin.v1beta1.ContainerPreferredAllocationRequest;
import io.gpushare.api.deviceplugin.v1beta1.ContainerPreferredAllocationResponse;
import io.gpushare.api.deviceplugin.v1beta1.DevicePluginGrpc;
import io.gpushare.api.deviceplugin.v1beta1.DevicePluginOptions;
import io.gpushare.api.deviceplugin.v1beta1.Empty;
import io.gpushare.api.deviceplugin.v1beta1.ListAndWatchResponse;
import io.gpushare.api.deviceplugin.v1beta1.PreStartContainerRequest;
import io.gpushare.api.deviceplugin.v1beta1.PreStartContainerResponse;
import io.gpushare.api.deviceplugin.v1beta1.PreferredAllocationRequest;
import io.gpushare.api.deviceplugin.v1beta1.PreferredAllocationResponse;
import io.gpushare.model.text.Printable;
import io.gpushare.plugin.allocate.devices.DeviceResource;
import io.gpushare.plugin.node.container.Outcome;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The kubelet's device plugin protocol for one resource. */
final class DevicePluginService extends DevicePluginGrpc.DevicePluginImplBase {
    private static final int LONGEST_REASON = 1024;
    private static final Logger LOG = LoggerFactory.getLogger(DevicePluginService.class);

    private final DeviceResource resource;
    private final CallHandler handler;
    private final Consumer<ServerCallStreamObserver<ListAndWatchResponse>> streams;

    DevicePluginService(
            DeviceResource resource,
            CallHandler handler,
            Consumer<ServerCallStreamObserver<ListAndWatchResponse>> streams) {
        this.resource = resource;
        this.handler = handler;
        this.streams = streams;
    }

    /** Sent with the registration as well: kubelets of version 1.20 read the options only there. */
    DevicePluginOptions options() {
        return DevicePluginOptions.newBuilder()
                .setGetPreferredAllocationAvailable(true)
                .setPreStartRequired(handler.gatesStart())
                .build();
    }

    @Override
    public void getDevicePluginOptions(Empty request, StreamObserver<DevicePluginOptions> kubelet) {
        respond(kubelet, options());
    }

    @Override
    public void listAndWatch(Empty request, StreamObserver<ListAndWatchResponse> kubelet) {
        streams.accept((ServerCallStreamObserver<ListAndWatchResponse>) kubelet);
    }

    @Override
    public void getPreferredAllocation(
            PreferredAllocationRequest request, StreamObserver<PreferredAllocationResponse> kubelet) {
        PreferredAllocationResponse.Builder response = PreferredAllocationResponse.newBuilder();
        for (ContainerPreferredAllocationRequest container : request.getContainerRequestsList()) {
            response.addContainerResponses(
                    ContainerPreferredAllocationResponse.newBuilder().addAllDeviceIDs(preferred(container)));
        }
        respond(kubelet, response.build());
    }

    /** Returns no devices after a failure: an error would reject the pod, and a preference is optional. */
    private List<String> preferred(ContainerPreferredAllocationRequest container) {
        try {
            return handler.preferred(
                    resource,
                    container.getAvailableDeviceIDsList(),
                    container.getMustIncludeDeviceIDsList(),
                    container.getAllocationSize());
        } catch (RuntimeException e) {
            LOG.error("GetPreferredAllocation failed, the kubelet chooses the devices", e);
            return List.of();
        }
    }

    @Override
    public void allocate(AllocateRequest request, StreamObserver<AllocateResponse> kubelet) {
        AllocateResponse.Builder response = AllocateResponse.newBuilder();
        try {
            for (ContainerAllocateRequest container : request.getContainerRequestsList()) {
                switch (handler.allocate(resource, container.getDevicesIdsList())) {
                    case Outcome.Of<ContainerAllocateResponse>(var granted) -> response.addContainerResponses(granted);
                    case Outcome.Refused<ContainerAllocateResponse>(var _, String reason, var _) -> {
                        kubelet.onError(Status.FAILED_PRECONDITION
                                .withDescription(reason)
                                .asRuntimeException());
                        return;
                    }
                }
            }
        } catch (RuntimeException e) {
            LOG.error("Allocate failed", e);
            kubelet.onError(Status.INTERNAL
                    .withDescription("the GPU device plugin failed, see its log: " + e)
                    .asRuntimeException());
            return;
        }
        respond(kubelet, response.build());
    }

    /** The kubelet calls it only if the options require it. */
    @Override
    public void preStartContainer(PreStartContainerRequest request, StreamObserver<PreStartContainerResponse> kubelet) {
        Optional<String> refusal;
        try {
            refusal = handler.start(resource, request.getDevicesIdsList());
        } catch (RuntimeException e) {
            LOG.error("PreStartContainer failed", e);
            refusal = Optional.of("the GPU device plugin failed, see its log: " + e);
        }
        if (refusal.isPresent()) {
            kubelet.onError(Status.FAILED_PRECONDITION
                    .withDescription(Printable.line(refusal.get(), LONGEST_REASON))
                    .asRuntimeException());
        } else {
            respond(kubelet, PreStartContainerResponse.getDefaultInstance());
        }
    }

    private static <T> void respond(StreamObserver<T> kubelet, T response) {
        kubelet.onNext(response);
        kubelet.onCompleted();
    }
}
