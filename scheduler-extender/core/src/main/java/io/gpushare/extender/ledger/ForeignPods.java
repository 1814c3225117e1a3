package io.gpushare.extender.ledger;

import io.gpushare.extender.ledger.Holding.Standing;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.PodRef;
import io.gpushare.model.foreign.ForeignPod;
import io.gpushare.model.pod.PodState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The pods that hold cards by the annotations of another scheduler, by node: what these say depends on the node's
 * inventory, so another one may change what the pods hold.
 */
final class ForeignPods {
    private final NodeTable nodes;
    private final Map<String, Set<String>> byNode = new ConcurrentHashMap<>();

    ForeignPods(NodeTable nodes) {
        this.nodes = nodes;
    }

    /** The uids of those on that node. */
    Set<String> on(String node) {
        return byNode.getOrDefault(node, Set.of());
    }

    /**
     * Whether the allocation is one of those that a pod of another scheduler may have: the node's device plugin has
     * adopted the pod.
     */
    static boolean adopts(Allocation allocation, Holding holding, @Nullable PodEntry pod) {
        return pod != null
                && pod.foreign() != null
                && holding.allocation().cards().containsAll(allocation.cards());
    }

    /** What another scheduler wrote when it bound the pod to the node; null if it wrote nothing that is known. */
    static @Nullable ForeignPod written(PodState pod, String node, PodDemand.Valid demand) {
        Map<Boolean, List<ContainerDemand>> slotted = demand.demand().containers().stream()
                .collect(Collectors.partitioningBy(
                        container -> container.request().slots() > 0));
        ForeignPod written = ForeignPod.of(
                pod.annotations(), node, slotted.getOrDefault(false, List.of()), slotted.getOrDefault(true, List.of()));
        return written.bound() ? written : null;
    }

    /**
     * The cards that the pod may hold by these annotations; its former ones while the node's cards are unknown.
     */
    List<Holding> holdings(PodRef pod, String node, ForeignPod foreign, List<Holding> former) {
        byNode.compute(node, (_, uids) -> {
            Set<String> changed = uids == null ? ConcurrentHashMap.newKeySet() : uids;
            changed.add(pod.uid());
            return changed;
        });
        return foreign.holding(nodes.entry(node).cards().inventory())
                .map(held -> List.of(new Holding(node, held.allocation(), Standing.SEEN, Instant.EPOCH)))
                .orElse(former);
    }

    /** Whether the pod holds each card that it may have, and so contradicts nobody there. */
    boolean doubtful(PodEntry pod) {
        return pod.foreign() != null && pod.node() != null && doubtful(pod.foreign(), pod.node());
    }

    /** The same, of a pod with these annotations on that node. */
    boolean doubtful(ForeignPod foreign, String node) {
        return foreign.holding(nodes.entry(node).cards().inventory())
                .filter(held -> !held.certain())
                .isPresent();
    }

    /** The pod holds nothing by such annotations any more. */
    void forget(PodEntry pod) {
        if (pod.foreign() != null && pod.node() != null) {
            byNode.computeIfPresent(pod.node(), (_, uids) -> {
                uids.remove(pod.ref().uid());
                return uids.isEmpty() ? null : uids;
            });
        }
    }
}
