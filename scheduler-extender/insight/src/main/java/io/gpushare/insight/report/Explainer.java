package io.gpushare.insight.report;

import io.gpushare.extender.feasibility.FilterResult;
import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.ClusterState;
import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.AllocationAnnotation;
import io.gpushare.extender.pod.NodeDemand;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.scheduling.NodeSelection;
import io.gpushare.extender.scheduling.PodApi;
import io.gpushare.insight.report.Explanation.Leaving;
import io.gpushare.insight.report.Explanation.NodeVerdict;
import io.gpushare.model.Demand;
import io.gpushare.model.PodController;
import io.gpushare.model.node.NodeRules;
import io.gpushare.model.pod.PodState;
import io.gpushare.model.text.Rejection;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Dry runs of filter for users: the same code as for kube-scheduler, over every node of the ledger that the pod accepts
 * by its selector, affinity and tolerations. They reserve nothing and are not counted in metrics. kube-scheduler's
 * other filters (CPU, volumes, other pods) are not part of them: what it wrote about the pod is passed on.
 */
public final class Explainer {
    private final Supplier<ClusterState> states;
    private final Placer placer;
    private final NodeSelection selection;
    private final PodApi api;

    public Explainer(Supplier<ClusterState> states, Placer placer, NodeSelection selection, PodApi api) {
        this.states = states;
        this.placer = placer;
        this.selection = selection;
        this.api = api;
    }

    /** Explains the pod with that name as the API server has it now; empty if there is none. Blocks on one API call. */
    public Optional<Explanation.OfPod> pod(String namespace, String name) throws PodApi.Failure {
        return api.pod(namespace, name).map(pod -> new Explanation.OfPod(pod, of(pod)));
    }

    private Explanation of(PodState pod) {
        if (pod.ended()) {
            return new Explanation.Ended(
                    pod.ref(),
                    pod.kubelet().rejection().isEmpty()
                            ? null
                            : Rejection.sentences(pod.kubelet().rejection()));
        }
        ClusterState state = states.get();
        PodDemand demand = state.demand(pod);
        @Nullable Leaving leaving = pod.priority().terminating() ? new Leaving(pod.ref(), pod.deadline()) : null;
        if (pod.node() != null && !(demand instanceof PodDemand.NoGpu)) {
            @Nullable Demand valid = demand instanceof PodDemand.Valid of ? of.demand() : null;
            return new Explanation.Bound(
                    pod.ref(),
                    pod.node(),
                    valid,
                    valid == null ? null : AllocationAnnotation.of(pod, valid).allocation(),
                    leaving);
        }
        if (leaving != null) {
            return leaving;
        }
        if (pod.gated() && demand instanceof PodDemand.Valid valid) {
            return new Explanation.Gated(
                    pod.ref(), valid.demand(), pod.scheduling().gates());
        }
        return of(
                state,
                new SchedulingPod(pod.ref(), pod.priority().value(), pod.annotations(), pod.containers()),
                pod.controller(),
                pod.scheduling().nodes(),
                pod.scheduling().condition());
    }

    /** Explains a pod, which need not exist, and accepts those nodes. */
    public Explanation of(SchedulingPod pod, NodeRules nodes) {
        return of(states.get(), pod, null, nodes, "");
    }

    private Explanation of(
            ClusterState state,
            SchedulingPod pod,
            @Nullable PodController controller,
            NodeRules nodes,
            String condition) {
        return switch (state.demand(pod)) {
            case PodDemand.NoGpu _ ->
                new Explanation.NoDemand(pod.ref(), state.nearly(pod).orElse(null));
            case PodDemand.Invalid(String sentence) -> new Explanation.Invalid(pod.ref(), sentence);
            case PodDemand.Valid valid -> judged(state, pod, controller, valid.on(nodes), condition);
        };
    }

    private Explanation judged(
            ClusterState state,
            SchedulingPod pod,
            @Nullable PodController controller,
            PodDemand.Valid demand,
            String condition) {
        // As kube-scheduler, which asks about the nodes only that the pod accepts.
        Map<String, Reason> notAccepted = new HashMap<>();
        state.entries().forEach((name, entry) -> {
            @Nullable Reason why = entry.refusal(demand.onNode());
            if (why != null && why.ofNode()) {
                notAccepted.put(name, why);
            }
        });
        List<String> names = state.nodes().stream()
                .map(ClusterState.NodeView::name)
                .filter(name -> !notAccepted.containsKey(name))
                .toList();
        FilterResult filtered = selection.feasible(pod, selection.named(names));
        List<String> feasible = filtered.feasible(names);
        int[] scores = selection.prioritize(pod, selection.named(feasible));
        Set<String> chosen = new HashSet<>();
        for (int i = 0; i < scores.length; i++) {
            if (scores[i] == NodeSelection.MAX_SCORE) {
                chosen.add(feasible.get(i));
            }
        }
        Map<String, @Nullable Reason> reasons = new HashMap<>(notAccepted);
        for (int i = 0; i < names.size(); i++) {
            reasons.put(names.get(i), filtered.why(i));
        }
        List<Ranked> nodes = new ArrayList<>(reasons.size());
        reasons.forEach((name, why) -> nodes.add(Ranked.of(NodeVerdict.of(
                name,
                why,
                chosen.contains(name),
                demand.demand(),
                state.entryFor(pod.ref().uid(), pod.priority(), name)))));
        List<NodeVerdict> sorted =
                nodes.stream().sorted(Ranked.ORDER).map(Ranked::node).toList();
        Advice advice =
                Advice.of(new Subject(pod.ref(), controller, demand.onNode()), sorted, other -> state.pod(other.uid()));
        return new Explanation.Judged(
                pod.ref(),
                demand.demand(),
                placer.policy(demand.policy()),
                filtered.passed() > 0 || advice.waits() ? null : new ScaleUpSearch(state, placer).of(pod, demand),
                condition,
                Stream.concat(
                                advice.sentences().stream(),
                                demand.notes().stream().map(note -> "Note: " + note + "."))
                        .toList(),
                sorted);
    }

    /** A node with what decides on its place, which takes longer to find than to compare. */
    private record Ranked(int group, long offers, NodeVerdict node) {
        static final Comparator<Ranked> ORDER = Comparator.comparingInt(Ranked::group)
                .thenComparing(Comparator.comparingLong(Ranked::offers).reversed())
                .thenComparing(ranked -> ranked.node().node());

        static Ranked of(NodeVerdict node) {
            return new Ranked(groupOf(node), node.offers(), node);
        }

        /** Feasible nodes first, then those that other pods occupy, last those without cards. */
        private static int groupOf(NodeVerdict node) {
            if (node.why() == null) {
                return node.chosen() ? 0 : 1;
            }
            return node.why().resolvable() ? 2 : node.cards().cards().isEmpty() ? 4 : 3;
        }
    }

    /** The nodes as {@link #tally} counts them, with the reasons of each; for a pod that holds nothing. */
    static Explanation.Judged refusals(ClusterState state, Subject subject) {
        Demand demand = subject.demand().cards();
        List<NodeVerdict> nodes = new ArrayList<>();
        state.entries()
                .forEach((name, entry) ->
                        nodes.add(NodeVerdict.of(name, entry.refusal(subject.demand()), false, demand, entry)));
        nodes.sort(Comparator.comparing(NodeVerdict::node));
        List<String> advice =
                Advice.of(subject, nodes, other -> state.pod(other.uid())).sentences();
        return new Explanation.Judged(subject.pod(), demand, "", null, "", advice, nodes);
    }

    /** Counts the nodes that can take the demand now, and the others by reason. */
    public static Tally tally(ClusterState state, NodeDemand demand) {
        Map<Reason, Integer> reasons = new LinkedHashMap<>();
        int feasible = 0;
        for (NodeEntry entry : state.entries().values()) {
            @Nullable Reason why = entry.refusal(demand);
            if (why == null) {
                feasible++;
            } else {
                reasons.merge(why, 1, Integer::sum);
            }
        }
        return new Tally(feasible, reasons);
    }

    /**
     * The nodes by result.
     *
     * @param feasible the number of nodes that can take the demand
     * @param reasons the number of other nodes by reason
     */
    public record Tally(int feasible, Map<Reason, Integer> reasons) {
        public Tally {
            reasons = Map.copyOf(reasons);
        }
    }
}
