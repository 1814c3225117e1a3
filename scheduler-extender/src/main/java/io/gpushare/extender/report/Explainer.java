package io.gpushare.extender.report;

import io.gpushare.extender.feasibility.DemandSummary;
import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.FilterResult;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.pod.AllocationAnnotation;
import io.gpushare.extender.pod.ClusterPod;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.report.Explanation.NodeVerdict;
import io.gpushare.extender.scheduling.NodeSelection;
import io.gpushare.extender.scheduling.PodApi;
import io.gpushare.model.Demand;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A dry run of filter for people: the same code as for kube-scheduler, over every node of the ledger. It reserves nothing
 * and counts nowhere. kube-scheduler's own filters (taints, cpu, volumes) are not part of it.
 */
public final class Explainer {
    private final Ledger ledger;
    private final NodeSelection choice;
    private final PodApi api;

    public Explainer(Ledger ledger, NodeSelection choice, PodApi api) {
        this.ledger = ledger;
        this.choice = choice;
        this.api = api;
    }

    /** The pod of that name as the API server has it now; empty when there is none. Blocks for one call. */
    public Optional<Explanation> pod(String namespace, String name) throws PodApi.Failure {
        return api.pod(namespace, name).map(this::of);
    }

    private Explanation of(ClusterPod pod) {
        if (pod.ended()) {
            return new Explanation.Ended(pod.ref());
        }
        if (pod.node() != null) {
            return new Explanation.Bound(
                    pod.ref(),
                    pod.node(),
                    ledger.demand(pod) instanceof PodDemand.Valid valid
                            ? AllocationAnnotation.of(pod, valid.demand()).allocation()
                            : null);
        }
        return of(new SchedulingPod(pod.ref(), pod.priority().value(), pod.annotations(), pod.containers()));
    }

    /** A pod that need not exist. */
    public Explanation of(SchedulingPod pod) {
        return switch (ledger.demand(pod)) {
            case PodDemand.NoGpu any -> new Explanation.NoDemand(pod.ref());
            case PodDemand.Invalid(String sentence) -> new Explanation.Wrong(pod.ref(), sentence);
            case PodDemand.Valid valid -> judged(pod, valid.demand());
        };
    }

    private Explanation judged(SchedulingPod pod, Demand demand) {
        List<String> names = ledger.nodes().stream().map(Ledger.NodeView::name).toList();
        FilterResult filtered = choice.feasible(pod, choice.named(names));
        List<String> feasible = filtered.feasible(names);
        int[] scores = choice.prioritize(pod, choice.named(feasible));
        Set<String> chosen = new HashSet<>();
        for (int i = 0; i < scores.length; i++) {
            if (scores[i] == NodeSelection.MAX_SCORE) {
                chosen.add(feasible.get(i));
            }
        }
        DemandSummary ask = DemandSummary.of(demand);
        List<NodeVerdict> nodes = new ArrayList<>(names.size());
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            nodes.add(new NodeVerdict(
                    name,
                    filtered.why(i),
                    chosen.contains(name),
                    ask,
                    ledger.nodeEntry(name).cards().without(pod.ref().uid())));
        }
        nodes.sort(Comparator.comparingInt(Explainer::rank)
                .thenComparing(Comparator.comparingLong(NodeVerdict::offers).reversed())
                .thenComparing(NodeVerdict::node));
        return new Explanation.Judged(pod.ref(), demand, nodes);
    }

    /** Those that would do first, then those where pods are in the way, last those without cards. */
    private static int rank(NodeVerdict node) {
        if (node.why() == null) {
            return node.chosen() ? 0 : 1;
        }
        return node.why().resolvable() ? 2 : node.cards().cards().isEmpty() ? 4 : 3;
    }

    /** Why each node can't take that demand now, and on how many nodes. */
    public Tally tally(Demand demand) {
        DemandSummary ask = DemandSummary.of(demand);
        Map<Reason, Integer> reasons = new LinkedHashMap<>();
        int feasible = 0;
        for (NodeEntry entry : ledger.nodeEntries().values()) {
            @Nullable Reason why = entry.refusal(ask);
            if (why == null) {
                feasible++;
            } else {
                reasons.merge(why, 1, Integer::sum);
            }
        }
        return new Tally(feasible, reasons);
    }

    /** On how many nodes a demand finds room, and how many lack it, by reason. */
    public record Tally(int feasible, Map<Reason, Integer> reasons) {
        public Tally {
            reasons = Map.copyOf(reasons);
        }
    }
}
