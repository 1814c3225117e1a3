package io.gpushare.plugin.snapshot;

import io.gpushare.model.card.Inventory;
import io.gpushare.model.ledger.NodeCards;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What is allocated on the node's cards.
 *
 * @param assigned the allocations of containers that have their cards
 * @param reserved the same, and the annotated allocations of pods that wait for their cards
 * @param undeviced those of the assigned that the scheduler counts, and the kubelet by device IDs that are not ours: pods that
 *     got their cards from another device plugin, such as gpushare's
 * @param uncounted what is held on each card, and counted neither there nor under the present resources
 * @param allocatedIds the device IDs that the kubelet has allocated. The kubelet only counts: they are usually, but not
 *     always, devices of the cards that the containers have
 * @param evidence how the cards of each pod of the API are known, by uid, if it has any
 */
public record NodeAllocations(
        NodeCards assigned,
        NodeCards reserved,
        NodeCards undeviced,
        NodeCards uncounted,
        Set<String> allocatedIds,
        Map<String, Evidence> evidence) {
    /** How it is known which cards a pod has. */
    enum Evidence {
        /** By the responses to the Allocate calls of all its containers. */
        RESPONSES,
        /** By its annotation, which the kubelet's devices don't contradict, or without one by these devices. */
        DEVICES,
        /** By the annotations of gpushare, which leave no doubt. */
        GPUSHARE,
        /** By the annotations of gpushare, which leave a doubt: it holds every card that it may have. */
        POSSIBLE,
        /** The annotation and the kubelet's devices are of different cards, and no response decides: it holds both. */
        DISPUTED
    }

    public NodeAllocations {
        allocatedIds = Set.copyOf(allocatedIds);
        evidence = Map.copyOf(evidence);
    }

    static NodeAllocations of(
            Inventory inventory,
            Collection<NodePod> pods,
            PodResourcesList listed,
            List<AnsweredCall> answeredCalls,
            KubeletCheckpoint checkpoint) {
        return new AllocationCounter(inventory, pods, listed, answeredCalls, checkpoint).allocations();
    }
}
