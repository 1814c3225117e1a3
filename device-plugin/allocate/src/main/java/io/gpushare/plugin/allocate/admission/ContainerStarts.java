package io.gpushare.plugin.allocate.admission;

import io.gpushare.model.PodRef;
import io.gpushare.plugin.allocate.snapshot.NodeSnapshot;
import io.gpushare.plugin.allocate.snapshot.PodResourcesList;
import io.gpushare.plugin.allocate.state.LatestSnapshot;
import io.gpushare.plugin.allocate.state.PodResourcesPoller;
import io.gpushare.plugin.node.isolation.StartingContainer;
import io.gpushare.plugin.node.isolation.enforcement.NodeIsolation;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Which container is about to start: PreStartContainer names only devices, and one resource in each call.
 *
 * @param podResources lists pod-resources: after a restart of the plugin nothing else knows the container
 */
record ContainerStarts(
        LatestSnapshot latest, PodResourcesPoller.Lister podResources, NodeIsolation isolation, InstantSource clock) {
    private static final Duration LIST_TIMEOUT = Duration.ofSeconds(1);

    /**
     * Puts the isolation of the container with these devices into force.
     *
     * @return why it can't start, as a sentence; empty if it may
     */
    Optional<String> start(Set<String> ids) {
        Optional<StartingContainer> container = of(ids, latest.now()).or(() -> of(ids, listed()));
        if (container.isPresent()) {
            return isolation.start(container.get());
        }
        String unknown = "the plugin does not know yet which pod has the devices "
                + ids.stream().sorted().limit(3).toList() + ": the kubelet calls again";
        isolation.refused(unknown);
        return Optional.of(unknown);
    }

    private NodeSnapshot listed() {
        Instant requested = clock.instant();
        Optional<PodResourcesList> listed = podResources.list(LIST_TIMEOUT);
        return listed.map(now -> latest.update(before -> before.withListed(now, requested)))
                .orElseGet(latest::now);
    }

    /**
     * The container with these devices. The kubelet gives the devices of an init container again to one that starts
     * later, and those of an ended pod to the next pod, so the last response counts. The plugin's own responses name
     * it, and after a restart pod-resources. Empty if neither does.
     */
    static Optional<StartingContainer> of(Set<String> ids, NodeSnapshot snapshot) {
        return snapshot.lastCall(ids)
                .flatMap(call -> of(call.pod(), call.allocation().name(), snapshot))
                .or(() -> listed(ids, snapshot));
    }

    private static Optional<StartingContainer> listed(Set<String> ids, NodeSnapshot snapshot) {
        return snapshot.pods().stream()
                .filter(pod -> !pod.ended())
                .flatMap(pod -> snapshot.listed().pods().getOrDefault(pod.name(), Map.of()).entrySet().stream()
                        .filter(container ->
                                !ids.isEmpty() && container.getValue().containsAll(ids))
                        .flatMap(container -> of(pod.ref(), container.getKey(), snapshot).stream()))
                .findFirst();
    }

    private static Optional<StartingContainer> of(PodRef pod, String container, NodeSnapshot snapshot) {
        return snapshot.allocations()
                .assigned()
                .allocationOf(pod.uid())
                .flatMap(allocation -> allocation.container(container))
                .map(own -> new StartingContainer(pod, own));
    }
}
