package io.gpushare.plugin.allocate.snapshot;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.Demand;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.foreign.ForeignHolding;
import io.gpushare.plugin.node.pod.NodePod;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What each source says that the containers of one pod have, by container name.
 *
 * @param pod as the API reports it, with its annotations and those of another scheduler
 * @param listed by pod-resources
 * @param recorded by the kubelet's checkpoint
 * @param answered by this process
 */
record PodEvidence(NodePod pod, Listed listed, Recorded recorded, Map<String, ContainerAllocation> answered) {
    /**
     * What pod-resources lists.
     *
     * @param known whether the pod is listed
     * @param hasDevices whether it has devices, ours or those of another plugin
     * @param allocations as far as devices of ours tell
     */
    record Listed(boolean known, boolean hasDevices, Map<String, ContainerAllocation> allocations) {
        Listed {
            allocations = Map.copyOf(allocations);
        }

        /** @param containers the devices by container; empty if the pod is not listed */
        static Listed of(Optional<Map<String, Set<String>>> containers) {
            Map<String, ContainerAllocation> allocations = new HashMap<>();
            containers
                    .orElse(Map.of())
                    .forEach((container, ids) -> DeviceIdParser.allocation(container, ids)
                            .ifPresent(cards -> allocations.put(container, cards)));
            boolean hasDevices =
                    containers.stream().flatMap(all -> all.values().stream()).anyMatch(ids -> !ids.isEmpty());
            return new Listed(containers.isPresent(), hasDevices, allocations);
        }
    }

    /**
     * What the checkpoint records, whichever plugin answered the calls.
     *
     * @param ourDevices whether a call was about devices of ours
     * @param refused the containers that gpushare's plugin gave no card
     */
    record Recorded(boolean ourDevices, Map<String, ContainerAllocation> allocations, Set<String> refused) {
        Recorded {
            allocations = Map.copyOf(allocations);
            refused = Set.copyOf(refused);
        }
    }

    PodEvidence {
        answered = Map.copyOf(answered);
    }

    /** Whether devices of this plugin are allocated to the pod. */
    boolean hasOurDevices() {
        return !listed.allocations().isEmpty() || !answered.isEmpty() || recorded.ourDevices();
    }

    /** Whether the pod got its cards from another device plugin, such as gpushare's. */
    boolean hasOthersDevices() {
        return !hasOurDevices()
                && (deviced() || !pod.started().isEmpty() || (pod.foreign().assigned() && !listed.known()));
    }

    private boolean deviced() {
        return listed.hasDevices() || !recorded.allocations().isEmpty();
    }

    /** What another scheduler's annotations leave possible, for a pod that has cards of another plugin. */
    Optional<ForeignHolding> holding(Inventory inventory) {
        return hasOthersDevices() && (pod.foreign().bound() || deviced() || !listed.known())
                ? pod.foreign().holding(inventory)
                : Optional.empty();
    }

    /** What responses gave to the containers: those of this process, or else those that the kubelet recorded. */
    Map<String, ContainerAllocation> responses() {
        Map<String, ContainerAllocation> responses = new LinkedHashMap<>(recorded.allocations());
        responses.putAll(answered);
        return responses;
    }

    /** The containers that are known to have devices of this plugin. */
    Set<String> served() {
        Set<String> served = new HashSet<>(responses().keySet());
        served.addAll(listed.allocations().keySet());
        return served;
    }

    List<ContainerDemand> demands() {
        return pod.demand().valid().map(Demand::containers).orElse(List.of());
    }
}
