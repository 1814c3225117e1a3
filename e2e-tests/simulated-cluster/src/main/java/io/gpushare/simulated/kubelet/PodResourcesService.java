package io.gpushare.simulated.kubelet;

import io.gpushare.api.podresources.v1.AllocatableResourcesRequest;
import io.gpushare.api.podresources.v1.AllocatableResourcesResponse;
import io.gpushare.api.podresources.v1.ContainerDevices;
import io.gpushare.api.podresources.v1.ContainerResources;
import io.gpushare.api.podresources.v1.GetPodResourcesRequest;
import io.gpushare.api.podresources.v1.GetPodResourcesResponse;
import io.gpushare.api.podresources.v1.ListPodResourcesRequest;
import io.gpushare.api.podresources.v1.ListPodResourcesResponse;
import io.gpushare.api.podresources.v1.PodResources;
import io.gpushare.api.podresources.v1.PodResourcesListerGrpc;
import io.gpushare.simulated.client.PodDocument;
import io.gpushare.simulated.kubelet.devices.DeviceManager;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;

/**
 * The kubelet's pod-resources service of Kubernetes 1.36. It lists active pods without ordinary init containers and pod
 * uids, with one entry per device in random order. All three methods share a limit of 100 calls per second with a burst
 * of 10.
 */
final class PodResourcesService extends PodResourcesListerGrpc.PodResourcesListerImplBase {
    private final DeviceManager devices;
    private final Supplier<List<PodDocument>> activePods;
    private final RateLimit limit;
    private final Random random;

    PodResourcesService(DeviceManager devices, Supplier<List<PodDocument>> activePods, RateLimit limit, long seed) {
        this.devices = devices;
        this.activePods = activePods;
        this.limit = limit;
        this.random = new Random(seed);
    }

    @Override
    public void list(ListPodResourcesRequest request, StreamObserver<ListPodResourcesResponse> observer) {
        respond(observer, () -> {
            ListPodResourcesResponse.Builder list = ListPodResourcesResponse.newBuilder();
            activePods.get().forEach(pod -> list.addPodResources(describe(pod)));
            return Optional.of(list.build());
        });
    }

    @Override
    public void get(GetPodResourcesRequest request, StreamObserver<GetPodResourcesResponse> observer) {
        respond(
                observer,
                () -> activePods.get().stream()
                        .filter(pod -> pod.name().equals(request.getPodName())
                                && pod.namespace().equals(request.getPodNamespace()))
                        .findFirst()
                        .map(pod -> GetPodResourcesResponse.newBuilder()
                                .setPodResources(describe(pod))
                                .build()));
    }

    @Override
    public void getAllocatableResources(
            AllocatableResourcesRequest request, StreamObserver<AllocatableResourcesResponse> observer) {
        respond(observer, () -> {
            AllocatableResourcesResponse.Builder all = AllocatableResourcesResponse.newBuilder();
            devices.healthy().forEach((resource, ids) -> ids.forEach(id -> all.addDevices(entry(resource, id))));
            return Optional.of(all.build());
        });
    }

    private <T> void respond(StreamObserver<T> observer, Supplier<Optional<T>> work) {
        if (!limit.allows()) {
            observer.onError(Status.RESOURCE_EXHAUSTED
                    .withDescription("rejected by rate limit")
                    .asRuntimeException());
            return;
        }
        Optional<T> result = work.get();
        if (result.isEmpty()) {
            observer.onError(Status.UNKNOWN.withDescription("pod not found").asRuntimeException());
            return;
        }
        observer.onNext(result.get());
        observer.onCompleted();
    }

    private PodResources describe(PodDocument pod) {
        PodResources.Builder described =
                PodResources.newBuilder().setName(pod.name()).setNamespace(pod.namespace());
        for (PodDocument.Container container : pod.containers()) {
            if (!container.init() || container.sidecar()) {
                described.addContainers(ContainerResources.newBuilder()
                        .setName(container.name())
                        .addAllDevices(entries(pod, container)));
            }
        }
        return described.build();
    }

    private List<ContainerDevices> entries(PodDocument pod, PodDocument.Container container) {
        List<ContainerDevices> entries = new ArrayList<>();
        devices.held(pod.uid(), container.name())
                .forEach((resource, held) -> held.devices().forEach(id -> entries.add(entry(resource, id))));
        synchronized (random) {
            Collections.shuffle(entries, random);
        }
        return entries;
    }

    private static ContainerDevices entry(String resource, String device) {
        return ContainerDevices.newBuilder()
                .setResourceName(resource)
                .addDeviceIds(device)
                .build();
    }
}
