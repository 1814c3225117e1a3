package io.gpushare.extender.preemption;

import io.gpushare.extender.feasibility.DemandSummary;
import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.pod.PodPriority;
import io.gpushare.model.HostResources;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds the node of the cluster where the evictions for a waiting pod do the least harm. It searches what the ledger shows
 * now: cards, and the node's CPU and memory.
 */
public final class EvictionSearch {
    /** The most pods that are evicted for one pod. */
    static final int MOST_VICTIMS = 64;
    // A search on a node takes up to a millisecond. Nodes whose least important pods are the least important come
    // first.
    private static final int MOST_NODES = 500;

    private final Ledger ledger;
    private final PodEntry pod;
    private final DemandSummary summary;
    private final Predicate<PodEntry> evictable;

    /** A node that could take the pod after evictions. */
    private record Candidate(String name, NodeEntry node, Map<String, PodPriority> evictable) {
        int lowest() {
            return evictable.values().stream()
                    .mapToInt(priority -> priority.terminating() ? Integer.MIN_VALUE : priority.value())
                    .min()
                    .orElse(Integer.MAX_VALUE);
        }
    }

    /** @param evictable which pods may be evicted for it, of those that do not terminate anyway */
    public EvictionSearch(Ledger ledger, PodEntry pod, Predicate<PodEntry> evictable) {
        this.ledger = ledger;
        this.pod = pod;
        this.summary = DemandSummary.of(pod.demand());
        this.evictable = evictable;
    }

    /** The search for a preemptor: pods of lower priority may be evicted, except some. */
    public static EvictionSearch preemption(Ledger ledger, PodEntry pod, Set<String> spared) {
        return new EvictionSearch(
                ledger,
                pod,
                other -> other.priority().value() < pod.priority().value()
                        && !spared.contains(other.ref().uid()));
    }

    /** The least harmful plan on these nodes. */
    public EvictionPlan best(Predicate<String> nodes) {
        Map<String, NodeEntry> apart =
                ledger.nodesApart(pod.ref().uid(), pod.priority().value());
        List<Candidate> candidates = new ArrayList<>();
        for (Map.Entry<String, NodeEntry> each : ledger.nodeEntries().entrySet()) {
            String name = each.getKey();
            NodeEntry node = apart.getOrDefault(name, each.getValue());
            @Nullable Reason refusal = node.refusal(summary);
            if ((refusal != null && !refusal.resolvable()) || !nodes.test(name)) {
                continue;
            }
            if (refusal != null) {
                Map<String, PodPriority> leaving = Evictable.on(
                        ledger, name, node.cards(), entry -> entry.priority().terminating() || evictable.test(entry));
                if (!leaving.isEmpty()) {
                    candidates.add(new Candidate(name, node, leaving));
                }
            } else if (fits(node, HostResources.NONE)) {
                return new EvictionPlan.NotNeeded(name);
            }
        }
        return candidates.stream()
                .sorted(Comparator.comparingInt(Candidate::lowest).thenComparing(Candidate::name))
                .limit(MOST_NODES)
                .flatMap(candidate -> plan(candidate).stream())
                .min(Comparator.comparing(EvictionPlan.Evict::harm).thenComparing(EvictionPlan.Evict::node))
                .<EvictionPlan>map(plan -> plan)
                .orElseGet(EvictionPlan.NotPossible::new);
    }

    /** Whether that plan is still the right one on its node. */
    public boolean stillRight(EvictionPlan.Evict plan) {
        return best(plan.node()::equals) instanceof EvictionPlan.Evict now && now.samePods(plan);
    }

    private Optional<EvictionPlan.Evict> plan(Candidate candidate) {
        Optional<List<String>> found =
                VictimSearch.victims(candidate.node().cards(), pod.demand(), candidate.evictable());
        if (found.isEmpty()) {
            return Optional.empty();
        }
        List<PodEntry> leaving = found.get().stream()
                .flatMap(uid -> ledger.podEntry(uid).stream())
                .toList();
        List<PodEntry> victims = leaving.stream()
                .filter(entry -> !entry.priority().terminating())
                .toList();
        HostResources freed =
                leaving.stream().map(entry -> entry.podDemand().host()).reduce(HostResources.NONE, HostResources::plus);
        return leaving.size() == found.get().size() && victims.size() <= MOST_VICTIMS && fits(candidate.node(), freed)
                ? Optional.of(new EvictionPlan.Evict(
                        candidate.name(),
                        victims,
                        Harm.of(victims.stream().map(PodEntry::priority).toList())))
                : Optional.empty();
    }

    /** Whether the node has the CPU and memory for the pod, once that much of it is freed. */
    private boolean fits(NodeEntry node, HostResources freed) {
        HostResources left = node.allocatable().minus(node.requested()).plus(freed);
        HostResources host = pod.podDemand().host();
        return (host.cpuMilli() == 0 || host.cpuMilli() <= left.cpuMilli())
                && (host.memoryMib() == 0 || host.memoryMib() <= left.memoryMib());
    }
}
