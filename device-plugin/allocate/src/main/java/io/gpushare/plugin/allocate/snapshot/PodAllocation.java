package io.gpushare.plugin.allocate.snapshot;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.foreign.ForeignHolding;
import io.gpushare.plugin.allocate.snapshot.NodeAllocations.Evidence;
import io.gpushare.plugin.node.pod.NodePod;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What one pod has, by all evidence. The rules of the merge:
 *
 * <ol>
 *   <li>A pod without any devices that has not started has nothing; what its scheduler wrote is kept for it.
 *   <li>A container has what a response gave to it: of this process, otherwise as the kubelet's checkpoint records it.
 *   <li>Otherwise it has what the annotation says, if that gives the pod exactly its demand.
 *   <li>Otherwise it has the cards of its devices.
 *   <li>A pod whose devices are another plugin's has what the annotation says, otherwise every card that the
 *       annotations of its scheduler leave possible. Of the cards in a response it has as much as the annotation says.
 *   <li>Containers get their devices in order: those after the last one that has some wait for theirs.
 *   <li>A container that another plugin refused has nothing, whatever the annotations say: it can't start.
 *   <li>If annotation and devices name different cards and no response decides, the pod holds the cards of both.
 * </ol>
 *
 * @param assigned what the containers have
 * @param disputed the cards of devices that contradict the annotation, which the pod holds as well
 * @param awaited what is kept for a pod of which containers wait for their cards, with what the others have
 * @param undeviced what the scheduler counts, and the kubelet does not by devices of ours
 * @param uncounted what neither counts for the present resources: former resources are not counted by the scheduler,
 *     disputed cards not by the kubelet, and of containers with slots only these are counted
 * @param evidence how this is known; empty if the pod has nothing
 */
record PodAllocation(
        Optional<Allocation> assigned,
        Optional<Allocation> disputed,
        Optional<Allocation> awaited,
        Optional<Allocation> undeviced,
        Optional<Allocation> uncounted,
        Optional<Evidence> evidence) {
    static PodAllocation of(PodEvidence evidence, Inventory inventory) {
        return evidence.hasOurDevices() || evidence.hasOthersDevices()
                ? merged(evidence, inventory)
                : waiting(evidence.pod(), inventory);
    }

    private static PodAllocation waiting(NodePod pod, Inventory inventory) {
        Optional<Allocation> none = Optional.empty();
        Optional<Allocation> written = pod.written(inventory).valid().filter(pod::gives);
        Optional<Allocation> slotted =
                written.flatMap(allocation -> allocation(allocation.unit(), withoutSlots(allocation.containers())));
        return new PodAllocation(none, none, written, none, slotted, Optional.empty());
    }

    private static PodAllocation merged(PodEvidence evidence, Inventory inventory) {
        Map<String, ContainerAllocation> devices = evidence.listed().allocations();
        Map<String, ContainerAllocation> responses = evidence.responses();
        Optional<ForeignHolding> holding = evidence.holding(inventory);
        Optional<Allocation> claim = evidence.pod()
                .allocation()
                .valid()
                .filter(evidence.pod()::gives)
                .or(() -> holding.map(ForeignHolding::allocation));
        // In another unit as well, unless this process answered: the pod was admitted before the unit changed.
        MemoryUnit unit = claim.map(Allocation::unit)
                .filter(_ -> evidence.answered().isEmpty())
                .orElse(inventory.unit());
        List<ContainerAllocation> claimed = claim
                .filter(allocation -> allocation.unit().equals(unit))
                .map(Allocation::containers)
                .orElse(List.of())
                .stream()
                .filter(container -> !evidence.recorded().refused().contains(container.name()))
                .toList();
        Map<String, ContainerAllocation> has = new LinkedHashMap<>(devices);
        claimed.forEach(container -> has.put(container.name(), container));
        responses.forEach((name, given) ->
                has.merge(name, given, (before, now) -> holding.isPresent() && covers(before, now) ? before : now));
        List<ContainerAllocation> disputed = claimed.stream()
                .filter(container -> !responses.containsKey(container.name()))
                .filter(container -> differ(container, devices.get(container.name())))
                .toList();
        List<ContainerAllocation> ordered = inOrder(has, evidence.demands());
        List<ContainerAllocation> served = evidence.hasOurDevices() ? upToTheLast(evidence.served(), ordered) : ordered;
        Optional<Allocation> assigned = allocation(unit, served);
        return new PodAllocation(
                assigned,
                allocation(
                        unit,
                        disputed.stream()
                                .flatMap(container -> Stream.ofNullable(devices.get(container.name())))
                                .toList()),
                served.equals(ordered) ? Optional.empty() : allocation(unit, ordered),
                evidence.hasOurDevices()
                        ? Optional.empty()
                        : assigned.flatMap(all -> allocation(unit, counted(all.containers()))),
                allocation(
                        unit,
                        evidence.hasOurDevices()
                                ? uncounted(evidence.pod(), has.values(), disputed)
                                : withoutSlots(has.values())),
                assigned.isEmpty() && !evidence.hasOurDevices()
                        ? Optional.empty()
                        : Optional.of(evidence(evidence, has, disputed, holding)));
    }

    /** The containers that have their devices; all of them where it is unknown which have. */
    private static List<ContainerAllocation> upToTheLast(Set<String> served, List<ContainerAllocation> ordered) {
        int end = ordered.size();
        while (end > 0 && !served.contains(ordered.get(end - 1).name())) {
            end--;
        }
        return end == 0 ? ordered : ordered.subList(0, end);
    }

    private static Evidence evidence(
            PodEvidence evidence,
            Map<String, ContainerAllocation> has,
            List<ContainerAllocation> disputed,
            Optional<ForeignHolding> holding) {
        if (!disputed.isEmpty()) {
            return Evidence.DISPUTED;
        }
        if (evidence.responses().keySet().containsAll(has.keySet())) {
            return Evidence.RESPONSES;
        }
        if (evidence.hasOurDevices()) {
            return Evidence.DEVICES;
        }
        return holding.filter(ForeignHolding::certain).isPresent() ? Evidence.FOREIGN : Evidence.POSSIBLE;
    }

    private static List<ContainerAllocation> uncounted(
            NodePod pod, Collection<ContainerAllocation> has, List<ContainerAllocation> disputed) {
        List<ContainerAllocation> uncounted = new ArrayList<>(disputed);
        has.stream()
                .filter(container -> pod.former().contains(container.name()) && !disputed.contains(container))
                // Cores have no former name.
                .map(container -> container.of(Share::withoutPercents))
                .forEach(uncounted::add);
        uncounted.addAll(withoutSlots(
                has.stream().filter(container -> !uncounted.contains(container)).toList()));
        return uncounted;
    }

    private static List<ContainerAllocation> counted(List<ContainerAllocation> containers) {
        return containers.stream()
                .map(container -> container.of(Share::counted))
                .toList();
    }

    /** Whether the allocation has the same cards, and at least as much of them. */
    private static boolean covers(ContainerAllocation allocation, ContainerAllocation other) {
        return allocation.visibleCards().equals(other.visibleCards())
                && (allocation.total().takenWhole() > 0 || other.total().fits(allocation.total()));
    }

    /** What containers with slots have beside these, which is all that scheduler and kubelet count of them. */
    private static List<ContainerAllocation> withoutSlots(Collection<ContainerAllocation> containers) {
        return containers.stream()
                .filter(container -> container.total().slots() > 0)
                .map(container -> container.of(share -> share.without(ShareKind.SLOTS)))
                .toList();
    }

    private static boolean differ(ContainerAllocation annotated, @Nullable ContainerAllocation devices) {
        return devices != null && !devices.visibleCards().equals(annotated.visibleCards());
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
        left.values().stream()
                .sorted(Comparator.comparing(ContainerAllocation::name))
                .forEach(ordered::add);
        return ordered;
    }

    private static Optional<Allocation> allocation(MemoryUnit unit, List<ContainerAllocation> containers) {
        return containers.isEmpty()
                ? Optional.empty()
                : Optional.of(new Allocation(
                        unit,
                        containers.stream()
                                .sorted(Comparator.comparing(container -> container.role() == ContainerRole.APP))
                                .toList()));
    }
}
