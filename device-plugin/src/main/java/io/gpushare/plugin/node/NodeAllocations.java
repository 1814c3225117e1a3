package io.gpushare.plugin.node;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.gpushare.GpushareHolding;
import io.gpushare.model.ledger.NodeCards;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What is allocated on the node's cards.
 *
 * @param assigned the allocations of containers that have their cards
 * @param reserved the same, and the annotated allocations of pods that wait for their cards
 * @param undeviced those of the assigned that the kubelet does not count by device IDs of ours: pods that got their card from
 *     gpushare's device plugin
 * @param allocatedIds the device IDs that the kubelet has allocated. The kubelet only counts: they are usually, but not
 *     always, devices of the cards that the containers have
 */
public record NodeAllocations(NodeCards assigned, NodeCards reserved, NodeCards undeviced, Set<String> allocatedIds) {
    public NodeAllocations {
        allocatedIds = Set.copyOf(allocatedIds);
    }

    static NodeAllocations of(
            Inventory inventory, Collection<NodePod> pods, PodResourcesList listed, List<AnsweredCall> answeredCalls) {
        return new Computation(inventory, pods, listed, answeredCalls).allocations();
    }

    /** One pass over all pods. */
    private static final class Computation {
        private final Inventory inventory;
        private final Map<PodName, NodePod> byName = new HashMap<>();
        private final PodResourcesList listed;
        private final List<AnsweredCall> answeredCalls;
        private NodeCards assigned;
        private NodeCards reserved;
        private NodeCards undeviced;
        private final Set<String> allocatedIds = new HashSet<>();

        Computation(
                Inventory inventory,
                Collection<NodePod> pods,
                PodResourcesList listed,
                List<AnsweredCall> answeredCalls) {
            this.inventory = inventory;
            this.listed = listed;
            this.answeredCalls = answeredCalls;
            this.assigned = NodeCards.of(inventory);
            this.reserved = assigned;
            this.undeviced = assigned;
            // A pod that ended and its successor may share a name for a moment: the running one counts.
            pods.forEach(
                    pod -> byName.merge(pod.name(), pod, (one, other) -> one.ended() || !other.ended() ? other : one));
        }

        NodeAllocations allocations() {
            byName.values().stream().filter(pod -> !pod.ended()).forEach(this::count);
            answeredCalls.stream().map(AnsweredCall::pod).distinct().forEach(this::countIfUnknown);
            listed.pods().keySet().forEach(this::countIfUnknown);
            return new NodeAllocations(assigned, reserved, undeviced, allocatedIds);
        }

        private void count(NodePod pod) {
            Map<String, ContainerAllocation> given = given(pod.ref());
            Optional<Allocation> annotation = pod.allocation().valid().filter(pod::gives);
            if (given.isEmpty()) {
                countWithoutDevices(pod, annotation);
            } else if (annotation.isPresent() && !answered(pod.ref())) {
                // In another unit as well: the pod was admitted before the node's unit changed.
                assign(pod.ref(), annotation.get());
                holdDisputed(pod.ref(), annotation.get(), given);
            } else {
                List<ContainerDemand> order =
                        pod.demand().valid().map(Demand::containers).orElse(List.of());
                assign(pod.ref(), inOrder(actual(pod.ref(), given, annotation), order));
            }
        }

        /**
         * Holds the cards of devices that contradict the annotation, beside the annotated cards. The kubelet may have ignored
         * the preference, or someone edited the annotation while the plugin was down: either may be the truth.
         */
        private void holdDisputed(PodRef pod, Allocation annotation, Map<String, ContainerAllocation> devices) {
            List<ContainerAllocation> disputed = annotation.containers().stream()
                    .flatMap(container -> Stream.ofNullable(devices.get(container.name()))
                            .filter(given -> !given.visibleCards().equals(container.visibleCards())))
                    .toList();
            assign(new PodRef(pod.uid() + " by its devices", pod.namespace(), pod.name()), disputed);
        }

        /** A pod without devices of ours waits for its cards, or has had them since gpushare's device plugin served the node. */
        private void countWithoutDevices(NodePod pod, Optional<Allocation> annotation) {
            boolean known = listed.knows(pod.name());
            boolean devices = listed.hasDevices(pod.name());
            if (devices || !pod.started().isEmpty() || (pod.gpushare().assigned() && !known)) {
                annotation
                        .or(() -> pod.gpushare().bound() || devices || !known
                                ? GpushareHolding.of(pod.gpushare(), inventory).map(GpushareHolding::allocation)
                                : Optional.empty())
                        .ifPresent(allocation -> {
                            assign(pod.ref(), allocation);
                            undeviced = undeviced.with(pod.ref(), allocation);
                        });
            } else {
                pod.written(inventory)
                        .valid()
                        .filter(pod::gives)
                        .ifPresent(allocation -> reserved = reserved.with(pod.ref(), allocation));
            }
        }

        /** A pod that the API's watch does not have, not yet or no longer, has what the kubelet reports. */
        private void countIfUnknown(PodRef pod) {
            if (!byName.containsKey(PodName.of(pod))) {
                assign(pod, inOrder(given(pod), List.of()));
            }
        }

        private void countIfUnknown(PodName pod) {
            boolean answered = answeredCalls.stream()
                    .anyMatch(call -> PodName.of(call.pod()).equals(pod));
            if (!answered) {
                countIfUnknown(new PodRef(pod.toString(), pod.namespace(), pod.name()));
            }
        }

        /** The allocations of the containers that have devices, by name; records their device IDs. */
        private Map<String, ContainerAllocation> given(PodRef pod) {
            Map<String, ContainerAllocation> given = new LinkedHashMap<>();
            listed.pods().getOrDefault(PodName.of(pod), Map.of()).forEach((container, ids) -> {
                allocatedIds.addAll(ids);
                DeviceIdParser.allocation(container, ids).ifPresent(cards -> given.put(container, cards));
            });
            for (AnsweredCall call : answeredCalls) {
                if (call.pod().uid().equals(pod.uid())) {
                    allocatedIds.addAll(call.ids());
                    given.put(call.allocation().name(), call.allocation());
                }
            }
            return given;
        }

        /** What Allocate answered; after a restart what the annotation says, and without one what the IDs say. */
        private Map<String, ContainerAllocation> actual(
                PodRef pod, Map<String, ContainerAllocation> given, Optional<Allocation> annotation) {
            Map<String, ContainerAllocation> actual = new LinkedHashMap<>(given);
            annotation
                    .filter(allocation -> allocation.unit().equals(inventory.unit()))
                    .ifPresent(allocation -> allocation.containers().stream()
                            .filter(container ->
                                    answeredCalls.stream().noneMatch(call -> call.isFor(pod, container.name())))
                            .forEach(container -> actual.put(container.name(), container)));
            return actual;
        }

        /** The containers in their start order, each with its role, as far as the pod's demand is known. */
        private static List<ContainerAllocation> inOrder(
                Map<String, ContainerAllocation> containers, List<ContainerDemand> order) {
            Map<String, ContainerAllocation> left = new LinkedHashMap<>(containers);
            List<ContainerAllocation> ordered = new ArrayList<>();
            for (ContainerDemand demand : order) {
                Optional.ofNullable(left.remove(demand.name()))
                        .map(gets -> new ContainerAllocation(gets.name(), demand.role(), gets.shares()))
                        .ifPresent(ordered::add);
            }
            ordered.addAll(left.values());
            ordered.sort(Comparator.comparing(container -> container.role() == ContainerRole.APP));
            return ordered;
        }

        private void assign(PodRef pod, List<ContainerAllocation> containers) {
            if (!containers.isEmpty()) {
                assign(pod, new Allocation(inventory.unit(), containers));
            }
        }

        private void assign(PodRef pod, Allocation allocation) {
            assigned = assigned.with(pod, allocation);
            reserved = reserved.with(pod, allocation);
        }

        private boolean answered(PodRef pod) {
            return answeredCalls.stream().anyMatch(call -> call.pod().uid().equals(pod.uid()));
        }
    }
}
