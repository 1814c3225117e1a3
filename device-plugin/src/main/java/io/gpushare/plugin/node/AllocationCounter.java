package io.gpushare.plugin.node;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.PodRef;
import io.gpushare.model.aliyun.AliyunHolding;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.plugin.node.NodeAllocations.Evidence;
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
import org.jspecify.annotations.Nullable;

/** Counts what is allocated on the node's cards, in one pass over all pods. */
final class AllocationCounter {
    private final Inventory inventory;
    private final Map<PodName, NodePod> byName = new HashMap<>();
    private final PodResourcesList listed;
    private final List<AnsweredCall> answeredCalls;
    private final KubeletCheckpoint checkpoint;
    private NodeCards assigned;
    private NodeCards reserved;
    private NodeCards undeviced;
    private NodeCards uncounted;
    private final Set<String> allocatedIds = new HashSet<>();
    private final Map<String, Evidence> evidence = new HashMap<>();

    AllocationCounter(
            Inventory inventory,
            Collection<NodePod> pods,
            PodResourcesList listed,
            List<AnsweredCall> answeredCalls,
            KubeletCheckpoint checkpoint) {
        this.inventory = inventory;
        this.listed = listed;
        this.answeredCalls = answeredCalls;
        this.checkpoint = checkpoint;
        this.assigned = NodeCards.of(inventory);
        this.reserved = assigned;
        this.undeviced = assigned;
        this.uncounted = assigned;
        // A pod that ended and its successor may share a name for a moment: the running one counts.
        pods.forEach(pod -> byName.merge(pod.name(), pod, (one, other) -> one.ended() || !other.ended() ? other : one));
    }

    NodeAllocations allocations() {
        byName.values().stream().filter(pod -> !pod.ended()).forEach(this::count);
        answeredCalls.stream().map(AnsweredCall::pod).distinct().forEach(this::countIfUnknown);
        listed.pods().keySet().forEach(this::countIfUnknown);
        return new NodeAllocations(assigned, reserved, undeviced, uncounted, allocatedIds, evidence);
    }

    private void count(NodePod pod) {
        Map<String, ContainerAllocation> devices = byDevices(pod.name(), pod.former());
        Map<String, ContainerAllocation> answered = answered(pod.ref());
        List<KubeletCheckpoint.Entry> entries = checkpoint.entries(pod.ref().uid());
        Map<String, ContainerAllocation> responses = recorded(pod, entries);
        responses.putAll(answered);
        Optional<Allocation> annotation = pod.allocation().valid().filter(pod::gives);
        boolean ours = entries.stream().anyMatch(KubeletCheckpoint.Entry::ofOurDevices);
        if (devices.isEmpty() && answered.isEmpty() && !ours) {
            countWithoutDevices(pod, annotation, responses);
            return;
        }
        // In another unit as well, unless this process answered: the pod was admitted before the unit changed.
        MemoryUnit unit =
                annotation.map(Allocation::unit).filter(_ -> answered.isEmpty()).orElse(inventory.unit());
        List<ContainerAllocation> annotated = annotation
                .filter(allocation -> allocation.unit().equals(unit))
                .map(Allocation::containers)
                .orElse(List.of());
        Map<String, ContainerAllocation> has = new LinkedHashMap<>(devices);
        annotated.forEach(container -> has.put(container.name(), container));
        has.putAll(responses);
        List<ContainerAllocation> disputed = annotated.stream()
                .filter(container -> !responses.containsKey(container.name()))
                .filter(container -> differ(container, devices.get(container.name())))
                .toList();
        assign(pod.ref(), unit, inOrder(has, demands(pod)));
        countAsUncounted(pod, unit, has, disputed);
        holdDisputed(pod.ref(), unit, disputed, devices);
        boolean proved = responses.keySet().containsAll(has.keySet());
        evidence.put(
                pod.ref().uid(),
                !disputed.isEmpty() ? Evidence.DISPUTED : proved ? Evidence.RESPONSES : Evidence.DEVICES);
    }

    /** A pod without devices of ours waits for its cards, or has had them since another device plugin served the node. */
    private void countWithoutDevices(
            NodePod pod, Optional<Allocation> annotation, Map<String, ContainerAllocation> responses) {
        boolean known = listed.knows(pod.name());
        boolean devices = listed.hasDevices(pod.name()) || !responses.isEmpty();
        if (devices || !pod.started().isEmpty() || (pod.gpushare().assigned() && !known)) {
            Optional<AliyunHolding> holding = pod.gpushare().bound() || devices || !known
                    ? AliyunHolding.of(pod.gpushare(), inventory)
                    : Optional.empty();
            Optional<Allocation> allocation = annotation.or(() -> holding.map(AliyunHolding::allocation));
            adopt(
                    pod,
                    allocation,
                    responses,
                    holding.filter(AliyunHolding::certain).isPresent());
        } else {
            pod.written(inventory)
                    .valid()
                    .filter(pod::gives)
                    .ifPresent(allocation -> reserved = reserved.with(pod.ref(), allocation));
        }
    }

    private void adopt(
            NodePod pod, Optional<Allocation> allocation, Map<String, ContainerAllocation> responses, boolean certain) {
        Map<String, ContainerAllocation> has = new LinkedHashMap<>();
        allocation.ifPresent(known -> known.containers().forEach(container -> has.put(container.name(), container)));
        has.putAll(responses);
        if (has.isEmpty()) {
            return;
        }
        Allocation actual =
                new Allocation(allocation.map(Allocation::unit).orElse(inventory.unit()), inOrder(has, demands(pod)));
        assign(pod.ref(), actual);
        undeviced = undeviced.with(pod.ref(), actual);
        boolean proved = responses.keySet().containsAll(has.keySet());
        evidence.put(pod.ref().uid(), proved ? Evidence.RESPONSES : certain ? Evidence.GPUSHARE : Evidence.POSSIBLE);
    }

    /** Former resources are not counted by the scheduler, and disputed cards not by the kubelet. */
    private void countAsUncounted(
            NodePod pod, MemoryUnit unit, Map<String, ContainerAllocation> has, List<ContainerAllocation> disputed) {
        List<ContainerAllocation> others = new ArrayList<>(disputed);
        has.values().stream()
                .filter(container -> pod.former().contains(container.name()) && !disputed.contains(container))
                // Cores have no former name.
                .map(ContainerAllocation::withoutCores)
                .forEach(others::add);
        if (!others.isEmpty()) {
            uncounted = uncounted.with(pod.ref(), new Allocation(unit, others));
        }
    }

    /** Holds the cards of devices that contradict the annotation, beside the annotated cards: either may be the truth. */
    private void holdDisputed(
            PodRef pod, MemoryUnit unit, List<ContainerAllocation> disputed, Map<String, ContainerAllocation> devices) {
        List<ContainerAllocation> others = devices.values().stream()
                .filter(other ->
                        disputed.stream().anyMatch(container -> container.name().equals(other.name())))
                .toList();
        assign(new PodRef(pod.uid() + " by its devices", pod.namespace(), pod.name()), unit, others);
    }

    private static boolean differ(ContainerAllocation annotated, @Nullable ContainerAllocation devices) {
        return devices != null && !devices.visibleCards().equals(annotated.visibleCards());
    }

    private static List<ContainerDemand> demands(NodePod pod) {
        return pod.demand().valid().map(Demand::containers).orElse(List.of());
    }

    /** A pod that the API's watch does not have, not yet or no longer, has what its calls were answered. */
    private void countIfUnknown(PodRef pod) {
        if (!byName.containsKey(PodName.of(pod))) {
            Map<String, ContainerAllocation> has = byDevices(PodName.of(pod), Set.of());
            has.putAll(answered(pod));
            assign(pod, inventory.unit(), inOrder(has, List.of()));
        }
    }

    /** Or else what the kubelet reports: its checkpoint has the pod's uid and the responses of earlier processes. */
    private void countIfUnknown(PodName pod) {
        boolean answered =
                answeredCalls.stream().anyMatch(call -> PodName.of(call.pod()).equals(pod));
        if (answered || byName.containsKey(pod)) {
            return;
        }
        Map<String, ContainerAllocation> has = byDevices(pod, Set.of());
        Optional<String> uid = listed.pods().getOrDefault(pod, Map.of()).entrySet().stream()
                .flatMap(container -> checkpoint.podUid(container.getKey(), container.getValue()).stream())
                .filter(found -> byName.values().stream()
                        .noneMatch(known -> known.ref().uid().equals(found)))
                .findFirst();
        uid.ifPresent(found -> has.replaceAll((name, devices) -> recorded(devices, checkpoint.entries(found))));
        assign(
                new PodRef(uid.orElse(pod.toString()), pod.namespace(), pod.name()),
                inventory.unit(),
                inOrder(has, List.of()));
    }

    private ContainerAllocation recorded(ContainerAllocation devices, List<KubeletCheckpoint.Entry> entries) {
        ContainerDemand demand = new ContainerDemand(
                devices.name(),
                devices.role(),
                devices.shares().values().stream().reduce(Share.NONE, Share::plus));
        return entries.stream()
                .filter(entry -> entry.container().equals(demand.name()))
                .flatMap(entry -> entry.allocation(demand, inventory).stream())
                .findFirst()
                .orElse(devices);
    }

    /**
     * The allocations of the containers that have devices of ours, by name, as far as the devices tell.
     *
     * @param former containers whose devices the kubelet does not count for the present resources
     */
    private Map<String, ContainerAllocation> byDevices(PodName pod, Set<String> former) {
        Map<String, ContainerAllocation> devices = new LinkedHashMap<>();
        listed.pods().getOrDefault(pod, Map.of()).forEach((container, ids) -> {
            counted(ids, former.contains(container));
            DeviceIdParser.allocation(container, ids).ifPresent(cards -> devices.put(container, cards));
        });
        return devices;
    }

    /** The kubelet counts these devices for the present resources; of a former memory or card resource, only the cores. */
    private void counted(Set<String> ids, boolean former) {
        ids.stream()
                .filter(id -> !former || DeviceIdParser.mayBe(Set.of(id), ShareKind.CORES))
                .forEach(allocatedIds::add);
    }

    /** What the responses that the kubelet recorded gave to the containers, whichever plugin answered. */
    private Map<String, ContainerAllocation> recorded(NodePod pod, List<KubeletCheckpoint.Entry> entries) {
        Map<String, ContainerAllocation> recorded = new LinkedHashMap<>();
        for (ContainerDemand demand : demands(pod)) {
            for (KubeletCheckpoint.Entry entry : entries) {
                if (entry.container().equals(demand.name())) {
                    entry.allocation(demand, inventory).ifPresent(cards -> {
                        recorded.put(demand.name(), cards);
                        counted(entry.ids(), pod.former().contains(demand.name()));
                    });
                }
            }
        }
        return recorded;
    }

    /** What the responses of this process gave to the containers. */
    private Map<String, ContainerAllocation> answered(PodRef pod) {
        Map<String, ContainerAllocation> answered = new LinkedHashMap<>();
        for (AnsweredCall call : answeredCalls) {
            if (call.pod().uid().equals(pod.uid())) {
                allocatedIds.addAll(call.ids());
                answered.put(call.allocation().name(), call.allocation());
            }
        }
        return answered;
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

    private void assign(PodRef pod, MemoryUnit unit, List<ContainerAllocation> containers) {
        if (!containers.isEmpty()) {
            assign(pod, new Allocation(unit, containers));
        }
    }

    private void assign(PodRef pod, Allocation allocation) {
        assigned = assigned.with(pod, allocation);
        reserved = reserved.with(pod, allocation);
    }
}
