package io.gpushare.simulated.kubelet.devices;

import io.gpushare.api.deviceplugin.v1beta1.AllocateRequest;
import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateRequest;
import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpushare.api.deviceplugin.v1beta1.ContainerPreferredAllocationRequest;
import io.gpushare.api.deviceplugin.v1beta1.Device;
import io.gpushare.api.deviceplugin.v1beta1.DevicePluginGrpc;
import io.gpushare.api.deviceplugin.v1beta1.DevicePluginOptions;
import io.gpushare.api.deviceplugin.v1beta1.Empty;
import io.gpushare.api.deviceplugin.v1beta1.ListAndWatchResponse;
import io.gpushare.api.deviceplugin.v1beta1.PreStartContainerRequest;
import io.gpushare.api.deviceplugin.v1beta1.PreferredAllocationRequest;
import io.gpushare.simulated.patience.Patience;
import io.grpc.Channel;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The kubelet's client of one registered plugin: one connection, its options, and one ListAndWatch stream. */
public final class PluginConnection implements AutoCloseable {
    private static final int DIAL_SECONDS = 10;
    private static final int START_SECONDS = 30;

    private final String resource;
    private final ManagedChannel channel;
    private final DevicePluginOptions options;
    private volatile @Nullable ClientCallStreamObserver<Empty> stream;
    private volatile boolean stopped;
    private volatile boolean closed;

    private PluginConnection(String resource, ManagedChannel channel, DevicePluginOptions options) {
        this.resource = resource;
        this.channel = channel;
        this.options = options;
    }

    /**
     * Dials and calls GetDevicePluginOptions, as the kubelet does inside Register; throws without a response in 10 s.
     */
    public static PluginConnection dial(String resource, ManagedChannel channel) {
        try {
            DevicePluginOptions options = DevicePluginGrpc.newBlockingStub(channel)
                    .withWaitForReady()
                    .withDeadlineAfter(DIAL_SECONDS, TimeUnit.SECONDS)
                    .getDevicePluginOptions(Empty.getDefaultInstance());
            return new PluginConnection(resource, channel, options);
        } catch (StatusRuntimeException e) {
            channel.shutdownNow();
            throw e;
        }
    }

    public String resource() {
        return resource;
    }

    public DevicePluginOptions options() {
        return options;
    }

    /** A stub for calls outside of an admission. The kubelet sets no deadline; a test ends. */
    public DevicePluginGrpc.DevicePluginBlockingStub calls() {
        return DevicePluginGrpc.newBlockingStub(channel).withDeadlineAfter(Patience.of(Patience.USUAL));
    }

    /** A stub for calls that no kubelet makes. */
    public Channel channel() {
        return channel;
    }

    /** Whether the stream has ended, on either side. */
    public boolean stopped() {
        return stopped;
    }

    /** Whether this side has closed it. */
    public boolean closed() {
        return closed;
    }

    /** Opens the stream. {@code ended} is called once if the stream breaks, but not if this side closes it. */
    public void listAndWatch(Consumer<List<Device>> devices, Runnable ended) {
        // Outside of the context of the Register call, which is cancelled with the response to that call.
        Context.ROOT.run(() -> openStream(devices, ended));
    }

    private void openStream(Consumer<List<Device>> devices, Runnable ended) {
        DevicePluginGrpc.newStub(channel)
                .listAndWatch(Empty.getDefaultInstance(), new ClientResponseObserver<Empty, ListAndWatchResponse>() {
                    @Override
                    public void beforeStart(ClientCallStreamObserver<Empty> requests) {
                        stream = requests;
                    }

                    @Override
                    public void onNext(ListAndWatchResponse list) {
                        devices.accept(list.getDevicesList());
                    }

                    @Override
                    public void onError(Throwable t) {
                        onCompleted();
                    }

                    @Override
                    public void onCompleted() {
                        stopped = true;
                        if (!closed) {
                            ended.run();
                        }
                    }
                });
    }

    /** Cancels the stream on the kubelet's side. */
    public void cutStream() {
        ClientCallStreamObserver<Empty> present = stream;
        if (present != null) {
            present.cancel("the simulated kubelet cut the stream", null);
        }
    }

    /** The plugin's preferred devices; empty if it does not offer the call. The kubelet sets no deadline. */
    public Set<String> preferred(Collection<String> available, Collection<String> mustInclude, int size) {
        if (!options.getGetPreferredAllocationAvailable()) {
            return Set.of();
        }
        checkRunning();
        PreferredAllocationRequest request = PreferredAllocationRequest.newBuilder()
                .addContainerRequests(ContainerPreferredAllocationRequest.newBuilder()
                        .addAllAvailableDeviceIDs(available)
                        .addAllMustIncludeDeviceIDs(mustInclude)
                        .setAllocationSize(size))
                .build();
        var response = DevicePluginGrpc.newBlockingStub(channel).getPreferredAllocation(request);
        return response.getContainerResponsesCount() == 0
                ? Set.of()
                : new HashSet<>(response.getContainerResponses(0).getDeviceIDsList());
    }

    public ContainerAllocateResponse allocate(Collection<String> devices) {
        checkRunning();
        var response = DevicePluginGrpc.newBlockingStub(channel)
                .allocate(AllocateRequest.newBuilder()
                        .addContainerRequests(
                                ContainerAllocateRequest.newBuilder().addAllDevicesIds(devices))
                        .build());
        if (response.getContainerResponsesCount() == 0) {
            throw new AdmissionException("no containers return in allocation response " + response);
        }
        return response.getContainerResponses(0);
    }

    /** Whether the plugin is called before each start of a container. */
    boolean preStartRequired() {
        return options.getPreStartRequired();
    }

    /** Throws if the container may not start now. */
    void preStart(Collection<String> devices) {
        DevicePluginGrpc.newBlockingStub(channel)
                .withDeadlineAfter(START_SECONDS, TimeUnit.SECONDS)
                .preStartContainer(PreStartContainerRequest.newBuilder()
                        .addAllDevicesIds(devices)
                        .build());
    }

    private void checkRunning() {
        if (stopped) {
            throw new AdmissionException("endpoint " + resource + " has been stopped");
        }
    }

    @Override
    public void close() {
        closed = true;
        stopped = true;
        channel.shutdownNow();
    }
}
