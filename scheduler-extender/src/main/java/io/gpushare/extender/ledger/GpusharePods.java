package io.gpushare.extender.ledger;

import io.gpushare.extender.ledger.Holding.Standing;
import io.gpushare.extender.pod.ClusterPod;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.model.Allocation;
import io.gpushare.model.PodRef;
import io.gpushare.model.aliyun.AliyunHolding;
import io.gpushare.model.aliyun.AliyunPod;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The pods that hold cards by gpushare's annotations, by node: these name a card by its index in the node's inventory, so
 * another inventory may change what they hold.
 */
final class GpusharePods {
    private final NodeTable nodes;
    private final Map<String, Set<String>> byNode = new ConcurrentHashMap<>();

    GpusharePods(NodeTable nodes) {
        this.nodes = nodes;
    }

    /** The uids of those on that node. */
    Set<String> on(String node) {
        return byNode.getOrDefault(node, Set.of());
    }

    /** Whether the allocation is one of those that a pod of gpushare may have: its device plugin has adopted the pod. */
    static boolean adopts(Allocation allocation, Holding holding, @Nullable PodEntry pod) {
        return pod != null
                && pod.gpushare() != null
                && holding.allocation().cards().containsAll(allocation.cards());
    }

    /** What gpushare's extender wrote when it bound the pod; null if another program bound it. */
    static @Nullable AliyunPod written(ClusterPod pod, PodDemand.Valid demand) {
        AliyunPod written = AliyunPod.of(pod.annotations(), demand.demand().containers());
        return written.bound() ? written : null;
    }

    /** The cards that the pod may hold by gpushare's annotations; its former ones while the node's cards are unknown. */
    List<Holding> holdings(PodRef pod, String node, AliyunPod gpushare, List<Holding> former) {
        byNode.compute(node, (_, uids) -> {
            Set<String> changed = uids == null ? ConcurrentHashMap.newKeySet() : uids;
            changed.add(pod.uid());
            return changed;
        });
        return AliyunHolding.of(gpushare, nodes.entry(node).cards().inventory())
                .map(held -> List.of(new Holding(node, held.allocation(), Standing.SEEN, Instant.EPOCH)))
                .orElse(former);
    }

    /** The pod holds nothing by gpushare's annotations any more. */
    void forget(PodEntry pod) {
        if (pod.gpushare() != null && pod.node() != null) {
            byNode.computeIfPresent(pod.node(), (_, uids) -> {
                uids.remove(pod.ref().uid());
                return uids.isEmpty() ? null : uids;
            });
        }
    }
}
