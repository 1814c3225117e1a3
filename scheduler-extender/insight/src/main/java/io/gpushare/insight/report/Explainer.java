package io.gpushare.insight.report;

import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.ClusterState;
import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.placement.PlacementOutcomes;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.AllocationAnnotation;
import io.gpushare.extender.pod.NodeDemand;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.policy.KnownNode;
import io.gpushare.extender.policy.NodeChooser;
import io.gpushare.extender.policy.scoring.Scoring;
import io.gpushare.extender.scheduling.PodApi;
import io.gpushare.insight.report.Explanation.Leaving;
import io.gpushare.insight.report.Explanation.NodeVerdict;
import io.gpushare.insight.scaleup.ScaleUpSearch;
import io.gpushare.insight.scaleup.Together;
import io.gpushare.model.Demand;
import io.gpushare.model.PodController;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.node.NodeRules;
import io.gpushare.model.pod.PodScheduling;
import io.gpushare.model.pod.PodState;
import io.gpushare.model.text.Rejection;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Dry runs of filter for users: each answer is from one state of the ledger, in which the same verdicts decide as for
 * kube-scheduler, over every node that the pod accepts by its selector, affinity and tolerations. They reserve nothing
 * and are not counted in metrics. kube-scheduler's other filters (CPU, volumes, other pods) are not part of them: what
 * it wrote about the pod is passed on.
 */
public final class Explainer {
    private static final String HAS_CLAIMS =
            "It has ResourceClaims: none of them, as far as they exist, lacks or holds a card of GPU Share here, or"
                    + " the extender runs without --claims. kubectl describe resourceclaims says more.";

    private final Supplier<ClusterState> states;
    private final Placer placer;
    private final PlacementOutcomes outcomes;
    private final PodApi api;
    private final InstantSource clock;

    /** @param clock the time of day, by which pods that are being deleted are overdue */
    public Explainer(
            Supplier<ClusterState> states, Placer placer, PlacementOutcomes outcomes, PodApi api, InstantSource clock) {
        this.states = states;
        this.placer = placer;
        this.outcomes = outcomes;
        this.api = api;
        this.clock = clock;
    }

    /** Explains the pod with that name as the API server has it now; empty if there is none. Blocks on one API call. */
    public Optional<Explanation.OfPod> pod(String namespace, String name) throws PodApi.Failure {
        return api.pod(namespace, name).map(pod -> {
            ClusterState state = states.get();
            return new Explanation.OfPod(
                    pod,
                    of(state, pod),
                    pod.node() == null ? null : state.node(pod.node()).orElse(null));
        });
    }

    private Explanation of(ClusterState state, PodState pod) {
        if (pod.ended()) {
            return new Explanation.Ended(
                    pod.ref(),
                    pod.kubelet().rejection().isEmpty()
                            ? null
                            : Rejection.sentences(pod.kubelet().rejection(), state.zeros(pod.containers())));
        }
        PodDemand demand = state.demand(pod);
        @Nullable Leaving leaving = pod.priority().terminating() ? leaving(state, pod) : null;
        if (pod.node() != null && !(demand instanceof PodDemand.NoGpu)) {
            @Nullable Demand valid = demand instanceof PodDemand.Valid of ? of.demand() : null;
            @Nullable
            String notStarted = demand instanceof PodDemand.Valid claimed && claimed.foreign()
                    ? claimed.notes().stream().findFirst().orElse(null)
                    : null;
            return new Explanation.Bound(
                    pod.ref(),
                    pod.node(),
                    valid,
                    valid == null ? null : AllocationAnnotation.of(pod, valid).allocation(),
                    notStarted,
                    leaving);
        }
        if (leaving != null) {
            return leaving;
        }
        if (pod.gated() && demand instanceof PodDemand.Valid valid) {
            return new Explanation.Gated(
                    pod.ref(),
                    valid.demand(),
                    pod.scheduling().gates(),
                    NodeCards.commonUnit(state.entries().values().stream().map(NodeEntry::cards)));
        }
        if (demand instanceof PodDemand.NoGpu && !pod.claims().none()) {
            String condition = pod.scheduling().condition();
            return new Explanation.NoDemand(
                    pod.ref(), HAS_CLAIMS + (condition.isEmpty() ? "" : " kube-scheduler last wrote: " + condition));
        }
        return of(
                state,
                new SchedulingPod(pod.ref(), pod.priority().value(), pod.annotations(), pod.containers()),
                demand,
                pod.controller(),
                pod.scheduling());
    }

    private Leaving leaving(ClusterState state, PodState pod) {
        @Nullable String node = pod.node();
        @Nullable NodeEntry entry = node == null ? null : state.entries().get(node);
        return new Leaving(
                pod.ref(),
                LeavingText.ofPod(pod.deadline(), clock.instant(), node, entry == null ? null : entry.facts()));
    }

    /** Explains a pod, which need not exist, and accepts those nodes. */
    public Explanation of(SchedulingPod pod, NodeRules nodes) {
        ClusterState state = states.get();
        return of(
                state,
                pod,
                state.demand(pod),
                null,
                new PodScheduling(nodes, List.of(), null, List.of(), false, "", "", null, null));
    }

    private Explanation of(
            ClusterState state,
            SchedulingPod pod,
            PodDemand demand,
            @Nullable PodController controller,
            PodScheduling scheduling) {
        return switch (demand) {
            case PodDemand.NoGpu _ ->
                new Explanation.NoDemand(
                        pod.ref(), zeros(state, pod).or(() -> state.nearly(pod)).orElse(null));
            case PodDemand.Invalid(String sentence) -> new Explanation.Invalid(pod.ref(), sentence);
            case PodDemand.Valid valid ->
                judged(
                        state,
                        pod,
                        new Subject(
                                pod.ref(),
                                controller,
                                scheduling.group(),
                                valid.on(scheduling.nodes()),
                                clock.instant()),
                        scheduling.condition());
        };
    }

    /** Which nodes are closed to a pod that requests 0 of a resource, as a sentence. */
    private static Optional<String> zeros(ClusterState state, SchedulingPod pod) {
        List<String> rejecting = state.rejecting(pod).stream().sorted().toList();
        return rejecting.isEmpty()
                ? Optional.empty()
                : Optional.of("It requests 0 of "
                        + String.join(" and ", new TreeSet<>(state.zeros(pod.containers())))
                        + ": " + rejecting.size() + (rejecting.size() == 1 ? " node" : " nodes") + ", such as "
                        + rejecting.getFirst() + ", would reject it, because the kubelet there has no healthy device"
                        + " of that. Leave it out.");
    }

    private Explanation judged(ClusterState state, SchedulingPod pod, Subject subject, String condition) {
        PodDemand.Valid demand = subject.request();
        Map<String, NodeEntry> entries = state.entriesFor(pod.ref().uid(), pod.priority());
        Map<String, @Nullable Reason> reasons = new HashMap<>();
        Set<String> closed = outcomes.admissions().closedFor(pod.ref().namespace());
        Set<String> rejecting = state.rejecting(pod);
        entries.forEach((name, entry) -> {
            @Nullable Reason why = entry.refusal(demand.onNode());
            reasons.put(
                    name,
                    why != null
                            ? why
                            : rejecting.contains(name)
                                    ? Reason.ZERO_OF_NONE
                                    : closed.contains(name) ? Reason.BACKING_OFF : null);
        });
        // By claims kube-scheduler alone chooses, and an autoscaler knows new nodes by their slices.
        boolean byClaim = demand.demand().byClaim();
        Optional<String> chosen = byClaim ? Optional.empty() : chosen(subject, reasons, entries);
        List<NodeVerdict> sorted = entries.entrySet().stream()
                .map(node -> Ranked.of(NodeVerdict.of(
                        node.getKey(),
                        reasons.get(node.getKey()),
                        chosen.equals(Optional.of(node.getKey())),
                        demand.demand(),
                        node.getValue())))
                .sorted(Ranked.ORDER)
                .map(Ranked::node)
                .toList();
        entries.keySet().removeAll(closed);
        Optional<Gang> gang = Gang.of(subject, state.waiting(), entries);
        boolean alone = reasons.containsValue(null);
        Advice advice = Advice.of(subject, sorted, gang, other -> state.pod(other.uid()));
        return new Explanation.Judged(
                pod.ref(),
                demand.demand(),
                byClaim ? "of kube-scheduler" : placer.policy(demand.policy()),
                byClaim || (alone && gang.isEmpty()) || advice.waits()
                        ? null
                        : gang.map(Gang::together)
                                .orElseGet(() -> Optional.of(Together.alone(demand)))
                                .flatMap(each -> new ScaleUpSearch(state, placer).of(pod, demand, each))
                                .orElse(null),
                alone && gang.isPresent(),
                condition,
                Stream.concat(advice.sentences().stream(), notes(demand)).toList(),
                sorted);
    }

    private static Stream<String> notes(PodDemand.Valid demand) {
        return demand.notes().stream().map(note -> "Note: " + note + ".");
    }

    /** The feasible node where the pod costs least by its policy; as in filter, one that it was named in vain last. */
    private Optional<String> chosen(
            Subject subject, Map<String, @Nullable Reason> reasons, Map<String, NodeEntry> entries) {
        PodDemand.Valid demand = subject.request();
        Set<String> passedOver = outcomes.attempts().passedOver(subject.pod().uid());
        NodeChooser feasible = new NodeChooser(entries.entrySet().stream()
                .filter(node -> reasons.get(node.getKey()) == null)
                .map(node -> KnownNode.of(node.getKey(), node.getValue()))
                .toList());
        Scoring scoring = placer.scoring(demand.policy());
        return feasible.choose(scoring, demand.request(), node -> !passedOver.contains(node.name()))
                .or(() -> feasible.choose(scoring, demand.request()))
                .map(NodeChooser.Chosen::node);
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
        Optional<Gang> gang = Gang.of(subject, state.waiting(), state.entries());
        Stream<String> ofNodes = Advice.of(subject, nodes, gang, other -> state.pod(other.uid())).sentences().stream();
        List<String> advice = (demand.inPart() ? Stream.concat(ofNodes, notes(subject.request())) : ofNodes).toList();
        boolean alone = nodes.stream().anyMatch(node -> node.why() == null);
        return new Explanation.Judged(subject.pod(), demand, "", null, alone && gang.isPresent(), "", advice, nodes);
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
