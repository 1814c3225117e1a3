package io.gpushare.plugin.allocate.kubelet;

import io.gpushare.api.podresources.v1.ContainerDevices;
import io.gpushare.api.podresources.v1.ContainerResources;
import io.gpushare.api.podresources.v1.ListPodResourcesRequest;
import io.gpushare.api.podresources.v1.ListPodResourcesResponse;
import io.gpushare.api.podresources.v1.PodResourcesListerGrpc;
import io.gpushare.model.request.ResourceNames;
import io.gpushare.plugin.allocate.snapshot.PodResourcesList;
import io.gpushare.plugin.node.pod.PodName;
import io.gpushare.plugin.node.sockets.DomainSockets;
import io.gpushare.plugin.node.sockets.Sockets;
import io.gpushare.time.Machine;
import io.grpc.Deadline;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The client of the kubelet's pod-resources service, which lists the devices of containers. */
public final class PodResourcesClient implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PodResourcesClient.class);

    // The response of a full node is larger than gRPC's default of 4 MiB; the kubelet sends without a limit.
    private static final int LARGEST_RESPONSE = 64 << 20;
    // The kubelet refuses bursts of more than some ten calls, and then accepts a hundred a second.
    private static final Duration RETRY = Duration.ofMillis(12);

    private final ManagedChannel channel;
    private final ResourceNames names;
    private final Set<String> ours;
    private volatile boolean failing;

    public PodResourcesClient(Path socket, ResourceNames names, Sockets sockets) {
        this.channel = sockets.channel(DomainSockets.checked(socket), LARGEST_RESPONSE);
        this.names = names;
        this.ours = names.all();
    }

    /** Lists pod-resources; empty when the kubelet does not respond within the timeout. */
    public Optional<PodResourcesList> list(Duration timeout) {
        Deadline deadline = Deadline.after(timeout.toMillis(), TimeUnit.MILLISECONDS);
        // While the kubelet restarts, the channel's delay between attempts would grow.
        channel.resetConnectBackoff();
        while (true) {
            try {
                ListPodResourcesResponse response = PodResourcesListerGrpc.newBlockingStub(channel)
                        .withWaitForReady()
                        .withDeadline(deadline)
                        .list(ListPodResourcesRequest.getDefaultInstance());
                failing = false;
                return Optional.of(listed(response));
            } catch (StatusRuntimeException e) {
                boolean refusedBurst = e.getStatus().getCode() == Status.Code.RESOURCE_EXHAUSTED;
                if (!refusedBurst || !pause(deadline)) {
                    warnOnce(e);
                    return Optional.empty();
                }
            }
        }
    }

    private static boolean pause(Deadline deadline) {
        try {
            Machine.here().pause(RETRY);
            return !deadline.isExpired();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void warnOnce(StatusRuntimeException e) {
        if (!failing) {
            LOG.warn("the kubelet's pod-resources does not respond: {}", e.getMessage());
        }
        failing = true;
    }

    private PodResourcesList listed(ListPodResourcesResponse response) {
        Map<PodName, Map<String, Set<String>>> pods = new HashMap<>();
        response.getPodResourcesList().forEach(pod -> {
            Map<String, Set<String>> containers =
                    pods.computeIfAbsent(new PodName(pod.getNamespace(), pod.getName()), _ -> new HashMap<>());
            pod.getContainersList().forEach(container -> add(container, containers));
        });
        return new PodResourcesList(pods);
    }

    private void add(ContainerResources container, Map<String, Set<String>> containers) {
        for (ContainerDevices devices : container.getDevicesList()) {
            if (ours.contains(devices.getResourceName())
                    || devices.getResourceName().startsWith(ResourceNames.INSTANCES)) {
                Set<String> ids = containers.computeIfAbsent(container.getName(), _ -> new HashSet<>());
                devices.getDeviceIdsList().forEach(id -> ids.add(names.deviceId(devices.getResourceName(), id)));
            }
        }
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
