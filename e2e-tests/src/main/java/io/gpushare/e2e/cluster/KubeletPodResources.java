package io.gpushare.e2e.cluster;

import io.gpushare.api.podresources.v1.ContainerDevices;
import io.gpushare.api.podresources.v1.ContainerResources;
import io.gpushare.api.podresources.v1.GetPodResourcesRequest;
import io.gpushare.api.podresources.v1.ListPodResourcesRequest;
import io.gpushare.api.podresources.v1.PodResources;
import io.gpushare.api.podresources.v1.PodResourcesListerGrpc;
import io.gpushare.simulated.patience.Patience;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Reads the kubelet's device allocations from its pod-resources socket. */
public final class KubeletPodResources {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private KubeletPodResources() {}

    /**
     * Device IDs of these resources, and names of devices of claims, by {@code <pod>/<container>}, for the pods of a
     * namespace.
     *
     * @throws io.grpc.StatusRuntimeException if the kubelet doesn't respond
     */
    public static Map<String, Set<String>> devices(Path socket, String namespace, String... resources) {
        Set<String> selected = Set.of(resources);
        Map<String, Set<String>> byContainer = new HashMap<>();
        list(socket).stream()
                .filter(pod -> pod.getNamespace().equals(namespace))
                .forEach(pod -> pod.getContainersList()
                        .forEach(container ->
                                byContainer.put(pod.getName() + "/" + container.getName(), ids(container, selected))));
        return byContainer;
    }

    /** All pods. */
    public static List<PodResources> list(Path socket) {
        return call(socket, kubelet -> kubelet.list(ListPodResourcesRequest.getDefaultInstance()))
                .getPodResourcesList();
    }

    /** One pod, by a call that kubelets have enabled since 1.34. */
    public static PodResources get(Path socket, String namespace, String name) {
        GetPodResourcesRequest request = GetPodResourcesRequest.newBuilder()
                .setPodNamespace(namespace)
                .setPodName(name)
                .build();
        return call(socket, kubelet -> kubelet.get(request)).getPodResources();
    }

    private static <T> T call(Path socket, Function<PodResourcesListerGrpc.PodResourcesListerBlockingStub, T> request) {
        var loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        ManagedChannel channel = NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(socket))
                .eventLoopGroup(loop)
                .channelType(NioDomainSocketChannel.class)
                .withOption(ChannelOption.SO_KEEPALIVE, null)
                .overrideAuthority("localhost")
                .maxInboundMessageSize(64 << 20)
                .usePlaintext()
                .build();
        try {
            return request.apply(PodResourcesListerGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(Patience.of(TIMEOUT).toMillis(), TimeUnit.MILLISECONDS));
        } finally {
            channel.shutdownNow();
            loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }

    private static Set<String> ids(ContainerResources container, Set<String> resources) {
        Set<String> ids = new HashSet<>();
        for (ContainerDevices devices : container.getDevicesList()) {
            if (resources.contains(devices.getResourceName())) {
                ids.addAll(devices.getDeviceIdsList());
            }
        }
        container
                .getDynamicResourcesList()
                .forEach(claim -> claim.getClaimResourcesList().forEach(device -> ids.add(device.getDeviceName())));
        return ids;
    }
}
