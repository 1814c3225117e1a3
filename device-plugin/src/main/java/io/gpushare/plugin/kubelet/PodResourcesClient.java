package io.gpushare.plugin.kubelet;

import io.gpushare.api.podresources.v1.ContainerDevices;
import io.gpushare.api.podresources.v1.ContainerResources;
import io.gpushare.api.podresources.v1.ListPodResourcesRequest;
import io.gpushare.api.podresources.v1.ListPodResourcesResponse;
import io.gpushare.api.podresources.v1.PodResourcesListerGrpc;
import io.gpushare.model.codec.ResourceNames;
import io.gpushare.plugin.node.PodName;
import io.gpushare.plugin.node.PodResourcesList;
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

/** The client of the kubelet's pod-resources service: which containers hold which of our devices. */
public final class PodResourcesClient implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PodResourcesClient.class);

    // A full node's answer is larger than gRPC's usual 4 MiB, and the kubelet sends without a limit.
    private static final int LARGEST_ANSWER = 64 << 20;
    // A burst is refused above some ten calls and let in again at a hundred a second.
    private static final long RETRY_MILLISECONDS = 12;

    private final ManagedChannel channel;
    private final Set<String> ours;
    private volatile boolean silent;

    public PodResourcesClient(Path socket, ResourceNames names, DomainSockets sockets) {
        this.channel = sockets.channel(DomainSockets.checked(socket), LARGEST_ANSWER);
        this.ours = Set.of(names.memory(), names.cards());
    }

    /** What pod-resources lists now; empty when it does not answer in that time. */
    public Optional<PodResourcesList> list(Duration time) {
        Deadline deadline = Deadline.after(time.toMillis(), TimeUnit.MILLISECONDS);
        // After a restart of the kubelet the channel would wait longer and longer before it tries again.
        channel.resetConnectBackoff();
        while (true) {
            try {
                ListPodResourcesResponse answer = PodResourcesListerGrpc.newBlockingStub(channel)
                        .withWaitForReady()
                        .withDeadline(deadline)
                        .list(ListPodResourcesRequest.getDefaultInstance());
                silent = false;
                return Optional.of(listed(answer));
            } catch (StatusRuntimeException e) {
                boolean refusedBurst = e.getStatus().getCode() == Status.Code.RESOURCE_EXHAUSTED;
                if (!refusedBurst || !pause(deadline)) {
                    complain(e);
                    return Optional.empty();
                }
            }
        }
    }

    private static boolean pause(Deadline deadline) {
        try {
            TimeUnit.MILLISECONDS.sleep(RETRY_MILLISECONDS);
            return !deadline.isExpired();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void complain(StatusRuntimeException e) {
        if (!silent) {
            LOG.warn("the kubelet's pod-resources does not answer: {}", e.getMessage());
        }
        silent = true;
    }

    private PodResourcesList listed(ListPodResourcesResponse answer) {
        Map<PodName, Map<String, Set<String>>> pods = new HashMap<>();
        answer.getPodResourcesList().forEach(pod -> {
            Map<String, Set<String>> containers =
                    pods.computeIfAbsent(new PodName(pod.getNamespace(), pod.getName()), _ -> new HashMap<>());
            pod.getContainersList().forEach(container -> add(container, containers));
        });
        return new PodResourcesList(pods);
    }

    private void add(ContainerResources container, Map<String, Set<String>> containers) {
        for (ContainerDevices devices : container.getDevicesList()) {
            if (ours.contains(devices.getResourceName())) {
                containers
                        .computeIfAbsent(container.getName(), _ -> new HashSet<>())
                        .addAll(devices.getDeviceIdsList());
            }
        }
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
