package io.gpushare.extender.scheduling;

import io.gpushare.extender.capacity.PodRequest;
import io.gpushare.extender.feasibility.DemandSummary;
import io.gpushare.extender.feasibility.FilterResult;
import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.Holding;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.NodeDirectory;
import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.ledger.NodeIndices;
import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.outcome.PlacementOutcomes;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.policy.NodeCosts;
import io.gpushare.extender.policy.PolicyKind;
import io.gpushare.extender.policy.RecentCosts;
import io.gpushare.extender.policy.scoring.Scoring;
import io.gpushare.model.Demand;
import io.gpushare.model.node.Taint;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The verbs filter and prioritize. They only read the ledger and reserve nothing: kube-scheduler evaluates many nodes
 * and binds to one.
 */
public final class NodeSelection {
    /** The best score: kube-scheduler's MaxExtenderPriority. */
    public static final int MAX_SCORE = 10;

    private final Ledger ledger;
    private final PlacementOutcomes outcomes;
    private final DecideIn decideIn;
    private final Supplier<Map<String, List<Taint>>> softTaints;

    /** Selects nodes of that ledger, of which none has a soft taint. */
    public NodeSelection(Ledger ledger, PlacementOutcomes outcomes, DecideIn decideIn) {
        this(ledger, outcomes, decideIn, Map::of);
    }

    /**
     * Selects nodes of that ledger.
     *
     * @param outcomes of earlier placements, to which filter adds the nodes that it chooses
     * @param softTaints the taints that pods rather avoid, by node
     */
    public NodeSelection(
            Ledger ledger,
            PlacementOutcomes outcomes,
            DecideIn decideIn,
            Supplier<Map<String, List<Taint>>> softTaints) {
        this.ledger = ledger;
        this.outcomes = outcomes;
        this.decideIn = decideIn;
        this.softTaints = softTaints;
    }

    /** The nodes by name and index, as these verbs take them. */
    public NodeDirectory directory() {
        return ledger.directory();
    }

    /** The nodes with these names. */
    public NodeIndices named(List<String> names) {
        return directory().named(names);
    }

    /**
     * Which of these nodes can take the pod or, if filter decides, which one of them the policy chooses. A pod without
     * GPU fits every node.
     */
    public FilterResult filter(SchedulingPod pod, NodeIndices nodes) {
        FilterResult result = filter(pod, nodes, decideIn);
        return hopeless(result)
                        && ledger.demand(pod) instanceof PodDemand.Valid valid
                        && hopeless(directory().all().filter(DemandSummary.of(valid.demand())))
                ? FilterResult.of(result.size(), place -> {
                    @Nullable Reason reason = result.why(place);
                    return reason == null ? null : reason.needsScaleUp();
                })
                : result;
    }

    /** Whether none of the nodes could take the pod, even if it were empty. */
    private static boolean hopeless(FilterResult result) {
        return result.passed() == 0
                && result.reasons().stream()
                        .noneMatch(reason -> reason.resolvable() || reason.equals(Reason.NOT_RENEWED));
    }

    /** Which of these nodes can take the pod, even if filter decides. */
    public FilterResult feasible(SchedulingPod pod, NodeIndices nodes) {
        return filter(pod, nodes, DecideIn.PRIORITIZE);
    }

    private FilterResult filter(SchedulingPod pod, NodeIndices nodes, DecideIn where) {
        return switch (ledger.demand(pod)) {
            case PodDemand.NoGpu _ -> FilterResult.of(new @Nullable Reason[nodes.size()]);
            case PodDemand.Invalid(String sentence) -> {
                @Nullable Reason[] reasons = new @Nullable Reason[nodes.size()];
                Arrays.fill(reasons, Reason.invalidDemand(sentence));
                yield FilterResult.of(reasons);
            }
            case PodDemand.Valid demand -> {
                Map<String, NodeEntry> apart = apart(pod);
                FilterResult fitting = feasible(apart, demand.demand(), nodes);
                Set<String> closed = outcomes.admissions().closedFor(pod.ref().namespace());
                FilterResult feasible = without(closed, Reason.BACKING_OFF, fitting, nodes);
                boolean decides = switch (where) {
                    case FILTER -> true;
                    case PRIORITIZE -> false;
                    case AUTO -> !pod.traits().preferences() && !meetsSoftTaint(pod, nodes, feasible);
                };
                yield decides ? decided(pod.ref().uid(), apart, demand, nodes, feasible) : feasible;
            }
        };
    }

    /** Whether one of the feasible nodes has a soft taint that the pod does not tolerate. */
    private boolean meetsSoftTaint(SchedulingPod pod, NodeIndices nodes, FilterResult feasible) {
        Map<String, List<Taint>> tainted = softTaints.get();
        if (tainted.isEmpty()) {
            return false;
        }
        for (int place : feasible.passedPlaces()) {
            if (!pod.traits().tolerates(tainted.getOrDefault(nodes.name(place), List.of()))) {
                return true;
            }
        }
        return false;
    }

    /** The nodes that are not the same for this pod as for all. */
    private Map<String, NodeEntry> apart(SchedulingPod pod) {
        return ledger.nodesApart(pod.ref().uid(), pod.priority());
    }

    /** The same result, except that these nodes do not pass, for that reason. */
    private static FilterResult without(Set<String> names, Reason why, FilterResult filtered, NodeIndices nodes) {
        if (names.isEmpty()) {
            return filtered;
        }
        @Nullable Reason[] reasons = filtered.whys();
        for (int place : filtered.passedPlaces()) {
            reasons[place] = names.contains(nodes.name(place)) ? why : null;
        }
        return FilterResult.of(reasons);
    }

    private static FilterResult feasible(Map<String, NodeEntry> apart, Demand demand, NodeIndices nodes) {
        DemandSummary summary = DemandSummary.of(demand);
        FilterResult filtered = nodes.filter(summary);
        if (apart.isEmpty()) {
            return filtered;
        }
        @Nullable Reason[] reasons = filtered.whys();
        visit(apart, nodes, (place, node) -> reasons[place] = node.refusal(summary));
        return FilterResult.of(reasons);
    }

    /**
     * Leaves only the feasible node that the policy chooses, or all of them for prioritize if the policy chooses none.
     * The cheapest node may be refused: a policy does not weigh a split over cards or conditions on single cards.
     */
    private FilterResult decided(
            String podUid,
            Map<String, NodeEntry> apart,
            PodDemand.Valid demand,
            NodeIndices nodes,
            FilterResult filtered) {
        if (filtered.passed() < 2) {
            return filtered;
        }
        FilterResult fresh = without(outcomes.attempts().passedOver(podUid), Reason.PASSED_OVER, filtered, nodes);
        FilterResult decided = cheapest(podUid, apart, demand, nodes, fresh.passed() == 0 ? filtered : fresh);
        // A caller may name any pod: only those of the API take memory here.
        if (decided.passed() == 1 && ledger.podEntry(podUid).isPresent()) {
            outcomes.attempts().named(podUid, nodes.name(decided.nextFeasible(0)));
        }
        return decided;
    }

    private FilterResult cheapest(
            String podUid,
            Map<String, NodeEntry> apart,
            PodDemand.Valid demand,
            NodeIndices nodes,
            FilterResult filtered) {
        if (holds(podUid).isEmpty()) {
            int best = nodes.cheapestOfAll(ledger.scoring(demand.policy()), demand.request());
            if (best >= 0 && filtered.why(best) == null) {
                return filtered.only(best);
            }
        }
        int[] passed = filtered.passedPlaces();
        int best = costs(apart, demand.policy(), demand.request(), nodes.at(passed))
                .cheapest();
        return best < 0 ? filtered : filtered.only(passed[best]);
    }

    private List<Holding> holds(String podUid) {
        return ledger.podEntry(podUid).map(PodEntry::holdings).orElse(List.of());
    }

    /**
     * Scores these nodes for the pod, in their order: {@link #MAX_SCORE} for the node that the policy chooses, 0 to 9
     * by cost for the others, 0 where the pod does not fit. Only one node has the best score because kube-scheduler
     * picks at random among equal scores.
     *
     * <p>With {@link DecideIn#AUTO} kube-scheduler asks for pods that state preferences, and these must weigh more: the
     * scores are half as large.
     *
     * <p>A pod without GPU only takes CPU and memory that GPU pods need: every node where it costs least has
     * {@link #MAX_SCORE}, and kube-scheduler's own scores choose among them.
     */
    public int[] prioritize(SchedulingPod pod, NodeIndices nodes) {
        return switch (ledger.demand(pod)) {
            case PodDemand.NoGpu(PodRequest request, boolean _) ->
                costs(Map.of(), null, request, nodes).scores(MAX_SCORE);
            case PodDemand.Invalid _ -> new int[nodes.size()];
            case PodDemand.Valid demand ->
                costs(apart(pod), demand.policy(), demand.request(), nodes)
                        .scores(decideIn == DecideIn.AUTO ? MAX_SCORE / 2 : MAX_SCORE);
        };
    }

    private NodeCosts costs(
            Map<String, NodeEntry> apart, @Nullable PolicyKind policy, PodRequest request, NodeIndices nodes) {
        Scoring scoring = ledger.scoring(policy);
        NodeCosts[] costs = {nodes.costs(scoring, request)};
        visit(
                apart,
                nodes,
                (place, node) -> costs[0] =
                        costs[0].with(nodes.index(place), RecentCosts.cost(node.free(), scoring, request), request));
        return costs[0];
    }

    private interface Visitor {
        void at(int place, NodeEntry node);
    }

    /** Visits these nodes at their places in the request. */
    private static void visit(Map<String, NodeEntry> apart, NodeIndices nodes, Visitor visitor) {
        apart.forEach((name, node) -> {
            for (int place : nodes.places(name)) {
                visitor.at(place, node);
            }
        });
    }
}
