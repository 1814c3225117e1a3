package io.gpushare.plugin.allocate.snapshot;

import io.gpushare.model.Allocation;
import io.gpushare.model.PodRef;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.plugin.node.pod.NodePod;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What pods have of the node's cards by the device plugin API.
 *
 * @param assigned the allocations of containers that have their cards
 * @param reserved the same, and the annotated allocations of pods that wait for their cards
 * @param undeviced those of the assigned that the scheduler counts, and the kubelet by device IDs that are not ours:
 *     pods that got their cards from another device plugin, such as gpushare's
 * @param uncounted what is held on each card, and counted neither there nor under the present resources
 * @param allocatedIds the device IDs that the kubelet has allocated. The kubelet only counts: they are usually, but not
 *     always, devices of the cards that the containers have
 * @param evidence how the cards of each pod are known, by uid, if it has any
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
        /** By the annotations of another scheduler, which leave no doubt. */
        FOREIGN,
        /** By the annotations of another scheduler, which leave a doubt: it holds every card that it may have. */
        POSSIBLE,
        /** The annotation and the kubelet's devices are of different cards, and no response decides: it holds both. */
        DISPUTED
    }

    public NodeAllocations {
        allocatedIds = Set.copyOf(allocatedIds);
        evidence = Map.copyOf(evidence);
    }

    /** The sum over all pods; the order of the pods does not matter. */
    static NodeAllocations of(NodeEvidence evidence) {
        // Whoever chose the card knew what processes use there, or did not yet: to refuse the pod now would lose it.
        NodeCards assigned = NodeCards.of(evidence.inventory().withForeign(Map.of()));
        NodeCards awaited = assigned;
        NodeCards undeviced = assigned;
        NodeCards uncounted = assigned;
        Set<String> allocatedIds = new HashSet<>();
        Map<String, Evidence> known = new HashMap<>();
        for (NodePod pod : evidence.holders()) {
            PodRef ref = pod.ref();
            PodAllocation has = PodAllocation.of(evidence.of(pod), evidence.inventory());
            assigned = with(assigned, ref, has.assigned());
            PodRef byDevices = new PodRef(ref.uid() + " by its devices", ref.namespace(), ref.name());
            assigned = with(assigned, byDevices, has.disputed());
            awaited = with(awaited, ref, has.awaited());
            undeviced = with(undeviced, ref, has.undeviced());
            uncounted = with(uncounted, ref, has.uncounted());
            evidence.allocatedIds(pod).forEach(allocatedIds::add);
            has.evidence().ifPresent(how -> known.put(ref.uid(), how));
        }
        NodeCards reserved = assigned;
        for (NodeCards.Holding holding : awaited.holdings()) {
            reserved = reserved.with(holding.holder(), holding.allocation());
        }
        return new NodeAllocations(assigned, reserved, undeviced, uncounted, allocatedIds, known);
    }

    private static NodeCards with(NodeCards cards, PodRef pod, Optional<Allocation> allocation) {
        return allocation.map(has -> cards.with(pod, has)).orElse(cards);
    }
}
