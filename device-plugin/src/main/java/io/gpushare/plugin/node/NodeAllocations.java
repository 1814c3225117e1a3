package io.gpushare.plugin.node;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Inventory;
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

/**
 * What is held on the node's cards.
 *
 * @param held by the containers that were given their cards
 * @param written the same, and beside it what is written on pods that wait for theirs: nobody else may be offered that
 * @param booked the device IDs that the kubelet has given out. They are its counters: mostly, not always, devices of the
 *     cards that are held
 */
public record NodeAllocations(NodeCards held, NodeCards written, Set<String> booked) {
    public NodeAllocations {
        booked = Set.copyOf(booked);
    }

    static NodeAllocations of(
            Inventory inventory, Collection<NodePod> pods, PodResourcesList listed, List<AnsweredCall> answers) {
        return new Reckoning(inventory, pods, listed, answers).use();
    }

    /** One pass over all pods. */
    private static final class Reckoning {
        private final Inventory inventory;
        private final Map<PodName, NodePod> byName = new HashMap<>();
        private final PodResourcesList listed;
        private final List<AnsweredCall> answers;
        private NodeCards held;
        private NodeCards written;
        private final Set<String> booked = new HashSet<>();

        Reckoning(Inventory inventory, Collection<NodePod> pods, PodResourcesList listed, List<AnsweredCall> answers) {
            this.inventory = inventory;
            this.listed = listed;
            this.answers = answers;
            this.held = NodeCards.of(inventory);
            this.written = held;
            // A pod that ended and its successor may have one name for a moment: the living one is meant.
            pods.forEach(
                    pod -> byName.merge(pod.name(), pod, (one, other) -> one.ended() || !other.ended() ? other : one));
        }

        NodeAllocations use() {
            byName.values().stream().filter(pod -> !pod.ended()).forEach(this::count);
            answers.stream().map(AnsweredCall::pod).distinct().forEach(this::countIfUnknown);
            listed.pods().keySet().forEach(this::countIfUnknown);
            return new NodeAllocations(held, written, booked);
        }

        private void count(NodePod pod) {
            Map<String, ContainerAllocation> given = given(pod.ref());
            Optional<Allocation> annotation = pod.believed();
            if (given.isEmpty()) {
                annotation.ifPresent(allocation -> written = written.with(pod.ref(), allocation));
            } else if (annotation.isPresent() && !answered(pod.ref())) {
                // Also in another unit: the pod was admitted before this node's unit was changed.
                hold(pod.ref(), annotation.get());
            } else {
                List<ContainerDemand> order =
                        pod.demand().valid().map(Demand::containers).orElse(List.of());
                hold(pod.ref(), inOrder(truth(pod.ref(), given, annotation), order));
            }
        }

        /** A pod that the API's watch does not have (yet, or any more) holds what the kubelet says. */
        private void countIfUnknown(PodRef pod) {
            if (!byName.containsKey(PodName.of(pod))) {
                hold(pod, inOrder(given(pod), List.of()));
            }
        }

        private void countIfUnknown(PodName pod) {
            boolean answered =
                    answers.stream().anyMatch(answer -> PodName.of(answer.pod()).equals(pod));
            if (!answered) {
                countIfUnknown(new PodRef(pod.toString(), pod.namespace(), pod.name()));
            }
        }

        /** The containers that have devices, by name, and what they got; books the devices. */
        private Map<String, ContainerAllocation> given(PodRef pod) {
            Map<String, ContainerAllocation> given = new LinkedHashMap<>();
            listed.pods().getOrDefault(PodName.of(pod), Map.of()).forEach((container, ids) -> {
                booked.addAll(ids);
                DeviceIdParser.allocation(container, ids).ifPresent(cards -> given.put(container, cards));
            });
            for (AnsweredCall answer : answers) {
                if (answer.pod().uid().equals(pod.uid())) {
                    booked.addAll(answer.ids());
                    given.put(answer.gets().name(), answer.gets());
                }
            }
            return given;
        }

        /** What we answered is the truth; after a restart it is what is written, and without that what the IDs say. */
        private Map<String, ContainerAllocation> truth(
                PodRef pod, Map<String, ContainerAllocation> given, Optional<Allocation> annotation) {
            Map<String, ContainerAllocation> truth = new LinkedHashMap<>(given);
            annotation
                    .filter(allocation -> allocation.unit().equals(inventory.unit()))
                    .ifPresent(allocation -> allocation.containers().stream()
                            .filter(container -> answers.stream().noneMatch(a -> a.to(pod, container.name())))
                            .forEach(container -> truth.put(container.name(), container)));
            return truth;
        }

        /** In the order in which they start, each with its role, as far as the pod's demand is known. */
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

        private void hold(PodRef pod, List<ContainerAllocation> containers) {
            if (!containers.isEmpty()) {
                hold(pod, new Allocation(inventory.unit(), containers));
            }
        }

        private void hold(PodRef pod, Allocation allocation) {
            held = held.with(pod, allocation);
            written = written.with(pod, allocation);
        }

        private boolean answered(PodRef pod) {
            return answers.stream().anyMatch(answer -> answer.pod().uid().equals(pod.uid()));
        }
    }
}
