package io.gpushare.plugin.isolation.mps;

import io.gpushare.model.card.CardId;
import io.gpushare.plugin.node.NodePod;
import io.gpushare.plugin.node.NodeSnapshot;
import io.gpushare.plugin.usage.CardUsage;
import io.gpushare.plugin.usage.Cgroup;
import io.gpushare.plugin.usage.NodeUsage;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongFunction;
import java.util.stream.Collectors;

/** Finds the newest process of a container on a card: the one that took what the others had left. */
record NewestProcess(LongFunction<Optional<Cgroup>> cgroups, LongFunction<OptionalLong> starts) {
    Optional<Long> of(
            NodeUsage.ContainerOnCard container, List<CardUsage.GpuProcess> processes, NodeSnapshot snapshot) {
        Map<String, NodePod> pods = pods(snapshot);
        return processes.stream()
                .map(CardUsage.GpuProcess::pid)
                .filter(pid -> owner(pid, container.card(), pods).equals(Optional.of(container)))
                .filter(pid -> starts.apply(pid).isPresent())
                .max(Comparator.comparingLong((Long pid) -> starts.apply(pid).orElse(0))
                        .thenComparing(Comparator.naturalOrder()));
    }

    /** The pod of that process; empty if it belongs to none of the node. */
    Optional<NodePod> pod(long pid, CardId card, NodeSnapshot snapshot) {
        Map<String, NodePod> pods = pods(snapshot);
        return owner(pid, card, pods).map(container -> pods.get(container.podUid()));
    }

    private Optional<NodeUsage.ContainerOnCard> owner(long pid, CardId card, Map<String, NodePod> pods) {
        return cgroups.apply(pid).flatMap(cgroup -> NodeUsage.owner(cgroup, card, pods));
    }

    private static Map<String, NodePod> pods(NodeSnapshot snapshot) {
        return snapshot.pods().stream()
                .filter(pod -> !pod.ended())
                .collect(Collectors.toMap(pod -> pod.ref().uid(), pod -> pod));
    }
}
