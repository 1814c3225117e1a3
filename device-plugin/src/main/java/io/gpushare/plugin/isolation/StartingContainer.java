package io.gpushare.plugin.isolation;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Share;
import io.gpushare.plugin.snapshot.NodeSnapshot;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * A container that the kubelet is about to start, and its cards; or the request of a claim, with the claim in place of
 * the pod, before the containers that use it.
 */
public record StartingContainer(PodRef pod, ContainerAllocation allocation) {
    /** The cards that it has whole. */
    public Set<CardId> wholeCards() {
        return cards(share -> share.takenWhole() > 0);
    }

    /** The cards of which it has memory. */
    public Set<CardId> sharedCards() {
        return cards(share -> share.units() > 0);
    }

    private Set<CardId> cards(Predicate<Share> kind) {
        return allocation.visibleCards().stream()
                .filter(card -> kind.test(allocation.on(card)))
                .collect(Collectors.toSet());
    }

    /**
     * The container with these devices: PreStartContainer names nothing else, and one resource in each call. The
     * kubelet gives the devices of an init container again to one that starts later, and those of an ended pod to the
     * next pod, so the last response counts. The plugin's own responses name it, and after a restart pod-resources.
     * Empty if neither does.
     */
    public static Optional<StartingContainer> of(Set<String> ids, NodeSnapshot snapshot) {
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
