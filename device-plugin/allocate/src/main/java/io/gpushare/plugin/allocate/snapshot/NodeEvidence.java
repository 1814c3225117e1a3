package io.gpushare.plugin.allocate.snapshot;

import io.gpushare.model.ContainerDemand;
import io.gpushare.model.Demand;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.ShareKind;
import io.gpushare.plugin.node.pod.NodePod;
import io.gpushare.plugin.node.pod.PodName;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Everything that says what the node's containers have.
 *
 * @param pods of the API by uid, with their annotations; in that order, so that what is done for each pod has one
 * @param listed the last list of pod-resources, with the pods that the API has deleted
 * @param deleted the pods that the API has deleted, and the kubelet may still list
 * @param answered the calls that this process answered
 * @param checkpoint the calls that the kubelet recorded
 */
record NodeEvidence(
        Inventory inventory,
        Map<String, NodePod> pods,
        PodResourcesList listed,
        Set<PodName> deleted,
        AnsweredCalls answered,
        KubeletCheckpoint checkpoint) {
    private static final Comparator<NodePod> AGE = Comparator.comparing(NodePod::created)
            .thenComparing(pod -> pod.ref().uid());

    // A pod that ended and its successor may share a name for a moment: the running one counts, or the newer one.
    private static final Comparator<NodePod> CURRENT =
            Comparator.comparing((NodePod pod) -> !pod.ended()).thenComparing(AGE);

    NodeEvidence {
        pods = Collections.unmodifiableSortedMap(new TreeMap<>(pods));
        deleted = Set.copyOf(deleted);
    }

    static NodeEvidence none(Inventory inventory) {
        return new NodeEvidence(
                inventory, Map.of(), PodResourcesList.EMPTY, Set.of(), AnsweredCalls.NONE, KubeletCheckpoint.EMPTY);
    }

    NodeEvidence withInventory(Inventory changed) {
        return new NodeEvidence(changed, pods, listed, deleted, answered, checkpoint);
    }

    NodeEvidence withPods(Map<String, NodePod> changed, Set<PodName> gone) {
        return new NodeEvidence(inventory, changed, listed, gone, answered, checkpoint);
    }

    NodeEvidence withListed(PodResourcesList changed, Set<PodName> gone) {
        return new NodeEvidence(inventory, pods, changed, gone, answered, checkpoint);
    }

    NodeEvidence withAnswered(AnsweredCalls changed) {
        return new NodeEvidence(inventory, pods, listed, deleted, changed, checkpoint);
    }

    NodeEvidence withCheckpoint(KubeletCheckpoint changed) {
        return new NodeEvidence(inventory, pods, listed, deleted, answered, changed);
    }

    /** Each pod that may have cards, one of a name, the oldest first. */
    List<NodePod> holders() {
        Map<PodName, NodePod> known = pods.values().stream()
                .collect(Collectors.toMap(NodePod::name, pod -> pod, BinaryOperator.maxBy(CURRENT)));
        List<NodePod> all = new ArrayList<>(known.values());
        // A pod that the API's watch does not have, not yet or no longer, has what its calls were answered,
        answered.pods().stream()
                .filter(pod -> !known.containsKey(PodName.of(pod)))
                .map(NodePod::unknown)
                .forEach(all::add);
        // or what the kubelet reports: its checkpoint has the pod's uid and the responses of earlier processes.
        Set<PodName> named = all.stream().map(NodePod::name).collect(Collectors.toSet());
        Set<String> uids = known.values().stream().map(pod -> pod.ref().uid()).collect(Collectors.toSet());
        listed.pods().forEach((name, containers) -> {
            if (!named.contains(name) && !deleted.contains(name)) {
                Optional<String> uid = checkpoint.podUid(containers, uids);
                all.add(NodePod.unknown(new PodRef(uid.orElse(name.toString()), name.namespace(), name.name())));
            }
        });
        return all.stream().filter(pod -> !pod.ended()).sorted(AGE).toList();
    }

    PodEvidence of(NodePod pod) {
        PodEvidence.Listed devices = PodEvidence.Listed.of(listedOf(pod));
        List<ContainerDemand> demands = pod.demand()
                .valid()
                .map(Demand::containers)
                .orElseGet(() -> devices.allocations().values().stream()
                        .map(container -> new ContainerDemand(container.name(), container.role(), container.total()))
                        .toList());
        return new PodEvidence(
                pod,
                devices,
                checkpoint.evidence(pod.ref().uid(), demands, inventory),
                answered.allocations(pod.ref()));
    }

    /** What pod-resources lists for the pod; empty if it does not list it. */
    private Optional<Map<String, Set<String>>> listedOf(NodePod pod) {
        return deleted.contains(pod.name())
                ? Optional.empty()
                : Optional.ofNullable(listed.pods().get(pod.name()));
    }

    /** The devices of the pod that the kubelet counts for the present resources. */
    Stream<String> allocatedIds(NodePod pod) {
        Stream<String> listedIds = listedOf(pod).stream()
                .flatMap(containers -> containers.entrySet().stream())
                .flatMap(container -> counted(pod, container.getKey(), container.getValue()));
        Stream<String> recordedIds = checkpoint.entries(pod.ref().uid()).stream()
                .flatMap(entry -> counted(pod, entry.container(), entry.ids()));
        return Stream.of(listedIds, recordedIds, answered.ids(pod.ref())).flatMap(ids -> ids);
    }

    /** Of a former memory or card resource, only the percentages. */
    private static Stream<String> counted(NodePod pod, String container, Set<String> ids) {
        return ids.stream()
                .filter(id -> !pod.former().contains(container)
                        || ShareKind.PERCENTS.stream().anyMatch(kind -> DeviceIdParser.mayBe(Set.of(id), kind)));
    }
}
