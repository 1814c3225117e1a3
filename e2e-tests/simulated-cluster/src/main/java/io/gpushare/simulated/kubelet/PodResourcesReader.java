package io.gpushare.simulated.kubelet;

import io.gpushare.api.podresources.v1.ContainerDevices;
import io.gpushare.api.podresources.v1.ContainerResources;
import io.gpushare.api.podresources.v1.ListPodResourcesRequest;
import io.gpushare.api.podresources.v1.ListPodResourcesResponse;
import io.gpushare.api.podresources.v1.PodResources;
import io.gpushare.api.podresources.v1.PodResourcesListerGrpc;
import io.gpushare.simulated.kubelet.devices.UnixSockets;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/** Reads the devices of containers from a kubelet's pod-resources socket, as a node agent does. */
public final class PodResourcesReader implements AutoCloseable {
    private final UnixSockets sockets = new UnixSockets();
    private final ManagedChannel channel;

    /** @param kubeletDirectory the folder of {@code pod-resources/kubelet.sock} */
    public PodResourcesReader(Path kubeletDirectory) {
        channel = sockets.connect(kubeletDirectory.resolve("pod-resources").resolve("kubelet.sock"));
    }

    /** Device IDs by resource, by {@code namespace/pod/container}. Retries after the kubelet's rate limit. */
    public Map<String, Map<String, Set<String>>> devices() throws InterruptedException {
        Map<String, Map<String, Set<String>>> devices = new HashMap<>();
        for (PodResources pod : list().getPodResourcesList()) {
            for (ContainerResources container : pod.getContainersList()) {
                Map<String, Set<String>> held = new TreeMap<>();
                for (ContainerDevices entry : container.getDevicesList()) {
                    held.computeIfAbsent(entry.getResourceName(), _ -> new TreeSet<>())
                            .addAll(entry.getDeviceIdsList());
                }
                devices.put(pod.getNamespace() + "/" + pod.getName() + "/" + container.getName(), held);
            }
        }
        return devices;
    }

    private ListPodResourcesResponse list() throws InterruptedException {
        while (true) {
            try {
                return PodResourcesListerGrpc.newBlockingStub(channel)
                        .withDeadlineAfter(10, TimeUnit.SECONDS)
                        .list(ListPodResourcesRequest.getDefaultInstance());
            } catch (StatusRuntimeException e) {
                if (e.getStatus().getCode() != Status.Code.RESOURCE_EXHAUSTED) {
                    throw e;
                }
                Thread.sleep(20);
            }
        }
    }

    @Override
    public void close() {
        channel.shutdownNow();
        sockets.close();
    }
}
