package io.gpushare.extender.scheduling;

import io.gpushare.extender.capacity.PodRequest;
import io.gpushare.extender.feasibility.FilterResult;
import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.ledger.Reservation;
import io.gpushare.extender.ledger.Reservation.Source;
import io.gpushare.extender.placement.ClusterNodes;
import io.gpushare.extender.placement.FreeNodes;
import io.gpushare.extender.placement.NodeCosts;
import io.gpushare.extender.placement.NodeIndices;
import io.gpushare.extender.placement.PlacementOutcomes;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.placement.RecentCosts;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.policy.PolicyKind;
import io.gpushare.extender.policy.scoring.Scoring;
import io.gpushare.model.node.Taint;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The verbs filter and prioritize. Where filter names one node only, what the pod requests is reserved there until it
 * is bound: preparing its volumes may take minutes. Otherwise they only read the ledger.
 */
public final class NodeSelection {
    /** The best score: kube-scheduler's MaxExtenderPriority. */
    public static final int MAX_SCORE = 10;

    /** For how long filter reserves: kube-scheduler's own limit for the preparation of volumes. */
    static final Duration PREPARATION = Duration.ofMinutes(10);

    /** For how many pods filter reserves at one time. */
    static final int MOST_RESERVED = 1000;

    /** And for how many of them that the API server's watch has not shown. */
    static final int MOST_UNSEEN = 100;

    /** For how long it reserves for these: the watch is late by seconds at most. */
    static final Duration UNSEEN = Duration.ofMinutes(1);

    private final Placer placer;
    private final Ledger ledger;
    private final PlacementOutcomes outcomes;
    private final DecideIn decideIn;
    private final Supplier<Map<String, List<Taint>>> softTaints;
    private final InstantSource clock;
    // By pod, its gang. What filter reserves in one scheduling cycle for a gang that was named nodes in vain before.
    private final Map<String, String> ofThisCycle = new ConcurrentHashMap<>();

    /** Selects nodes with that placer, of which none has a soft taint, and reserves without a limit. */
    public NodeSelection(Placer placer, PlacementOutcomes outcomes, DecideIn decideIn) {
        this(placer, outcomes, decideIn, Map::of, () -> Instant.EPOCH);
    }

    /**
     * Selects nodes with that placer.
     *
     * @param outcomes of earlier placements, to which filter adds the nodes that it chooses
     * @param softTaints the taints that pods rather avoid, by node
     * @param clock of the reservations' limits, which never steps
     */
    public NodeSelection(
            Placer placer,
            PlacementOutcomes outcomes,
            DecideIn decideIn,
            Supplier<Map<String, List<Taint>>> softTaints,
            InstantSource clock) {
        this.placer = placer;
        this.ledger = placer.ledger();
        this.outcomes = outcomes;
        this.decideIn = decideIn;
        this.softTaints = softTaints;
        this.clock = clock;
    }

    /** The nodes by name and index, as these verbs take them. */
    public ClusterNodes nodes() {
        return placer.nodes();
    }

    /** The nodes with these names. */
    public NodeIndices named(List<String> names) {
        return nodes().named(names);
    }

    /**
     * Which of these nodes can take the pod or, if filter decides, which one of them the policy chooses. A pod without
     * GPU fits every node.
     */
    public FilterResult filter(SchedulingPod pod, NodeIndices nodes) {
        return switch (ledger.demand(pod)) {
            case PodDemand.NoGpu _ -> FilterResult.of(nodes.size(), _ -> null);
            case PodDemand.Invalid(String sentence) -> {
                Reason invalid = Reason.invalidDemand(sentence);
                yield FilterResult.of(nodes.size(), _ -> invalid);
            }
            case PodDemand.Valid demand -> filter(pod, demand, nodes);
        };
    }

    /** Each step refuses some of the nodes that are left. */
    private FilterResult filter(SchedulingPod pod, PodDemand.Valid demand, NodeIndices nodes) {
        boolean shown = isShown(pod, demand);
        if (shown) {
            endOtherCycles(pod.traits().group());
        }
        Map<String, NodeEntry> apart = apart(pod);
        FilterResult.Draft draft = nodes.filter(demand.demand());
        visit(apart, nodes, (place, node) -> draft.set(place, node.refusal(demand.demand())));
        refuse(outcomes.admissions().closedFor(pod.ref().namespace()), Reason.BACKING_OFF, draft, nodes);
        if (draft.hopeless() && nodes().all().filter(demand.demand()).hopeless()) {
            draft.needsScaleUp();
        }
        if (decides(pod, nodes, draft)) {
            decide(pod.ref().uid(), apart, demand, nodes, draft);
        }
        if (shown || ledger.podEntry(pod.ref().uid()).isEmpty()) {
            reserve(pod, demand, nodes, draft);
        }
        return draft.result();
    }

    /**
     * Whether the API server's watch shows this pod, with this demand. Anybody who reaches the port may send the uid of
     * somebody's pod with another demand: that reserves nothing for it, and ends nothing that is.
     */
    private boolean isShown(SchedulingPod pod, PodDemand.Valid demand) {
        return ledger.podEntry(pod.ref().uid())
                .filter(entry -> entry.ref().equals(pod.ref())
                        && entry.priority().value() == pod.priority()
                        && entry.demand().equals(demand.demand()))
                .isPresent();
    }

    private boolean decides(SchedulingPod pod, NodeIndices nodes, FilterResult.Draft draft) {
        return switch (decideIn) {
            case FILTER -> true;
            case PRIORITIZE -> false;
            case AUTO -> !pod.traits().preferences() && !meetsSoftTaint(pod, nodes, draft);
        };
    }

    /** Whether one of the feasible nodes has a soft taint that the pod does not tolerate. */
    private boolean meetsSoftTaint(SchedulingPod pod, NodeIndices nodes, FilterResult.Draft draft) {
        Map<String, List<Taint>> tainted = softTaints.get();
        return !tainted.isEmpty()
                && Arrays.stream(draft.passedPlaces())
                        .anyMatch(place -> !pod.traits().tolerates(tainted.getOrDefault(nodes.name(place), List.of())));
    }

    /** The nodes that are not the same for this pod as for all. */
    private Map<String, NodeEntry> apart(SchedulingPod pod) {
        return ledger.nodesApart(pod.ref().uid(), pod.priority());
    }

    /** Those of these nodes that pass do not pass, for that reason. */
    private static void refuse(Set<String> names, Reason why, FilterResult.Draft draft, NodeIndices nodes) {
        if (names.isEmpty()) {
            return;
        }
        for (int place : draft.passedPlaces()) {
            if (names.contains(nodes.name(place))) {
                draft.set(place, why);
            }
        }
    }

    /**
     * Leaves only the feasible node that the policy chooses, or all of them for prioritize if the policy chooses none.
     * Nodes that were chosen before in vain come last. The cheapest node may be refused: a policy does not weigh a
     * split over cards or conditions on single cards.
     */
    private void decide(
            String podUid,
            Map<String, NodeEntry> apart,
            PodDemand.Valid demand,
            NodeIndices nodes,
            FilterResult.Draft draft) {
        if (draft.passed() < 2) {
            return;
        }
        Set<String> passedOver = outcomes.attempts().passedOver(podUid);
        if (Arrays.stream(draft.passedPlaces()).anyMatch(place -> !passedOver.contains(nodes.name(place)))) {
            refuse(passedOver, Reason.PASSED_OVER, draft, nodes);
        }
        int best = cheapest(podUid, apart, demand, nodes, draft);
        if (best >= 0) {
            draft.choose(best);
        }
    }

    /**
     * Reserves what the pod requests on the only node that is left for it, in place of what was reserved for it before.
     * A pod that was named nodes in vain again and again reserves nothing: it would keep cards from others. One of a
     * gang reserves until a pod of no such gang comes, because kube-scheduler tries all of a gang before it binds one.
     */
    private void reserve(SchedulingPod pod, PodDemand.Valid demand, NodeIndices nodes, FilterResult.Draft draft) {
        String podUid = pod.ref().uid();
        @Nullable String gang = pod.traits().group();
        ofThisCycle.remove(podUid);
        if (draft.passed() == 1 && mayReserve(podUid)) {
            String node = nodes.name(draft.passedPlaces()[0]);
            boolean hopeful =
                    ledger.podEntry(podUid).isEmpty() || outcomes.attempts().named(podUid, node);
            if (hopeful || gang != null) {
                if (!hopeful) {
                    ofThisCycle.put(podUid, gang);
                }
                placer.promise(pod, demand, node, clock.instant().plus(PREPARATION));
                return;
            }
        }
        ledger.endFilterReservation(podUid);
    }

    /**
     * kube-scheduler may ask about a new pod before the watch shows it. What is reserved for it counts once it is
     * shown: a caller that names pods that are not in the API takes no card, and leaves room for pods that are.
     */
    private boolean mayReserve(String podUid) {
        Instant late = clock.instant().plus(PREPARATION).minus(UNSEEN);
        int all = 0;
        int unseen = 0;
        for (Reservation each : ledger.reservations(Source.FILTER::equals)) {
            if (each.pod().equals(podUid)) {
                continue;
            }
            boolean seen = ledger.podEntry(each.pod()).isPresent();
            if (!seen && each.until() != null && !each.until().isAfter(late)) {
                ledger.endFilterReservation(each.pod());
                continue;
            }
            all++;
            unseen += seen ? 0 : 1;
        }
        return all < MOST_RESERVED && (ledger.podEntry(podUid).isPresent() || unseen < MOST_UNSEEN);
    }

    /** Scheduling cycles come one after the other: a pod of no such gang means that the cycle of the gang is over. */
    private void endOtherCycles(@Nullable String gang) {
        ofThisCycle.forEach((uid, its) -> {
            if (!its.equals(gang) && ofThisCycle.remove(uid, its)) {
                ledger.endFilterReservation(uid);
            }
        });
    }

    /** The place of the node that passes and costs least; below 0 if the policy chooses none. */
    private int cheapest(
            String podUid,
            Map<String, NodeEntry> apart,
            PodDemand.Valid demand,
            NodeIndices nodes,
            FilterResult.Draft draft) {
        if (ledger.podEntry(podUid).stream().allMatch(pod -> pod.holdings().isEmpty())) {
            int best = nodes.cheapestOfAll(placer.scoring(demand.policy()), demand.request());
            if (best >= 0 && draft.passes(best)) {
                return best;
            }
        }
        int[] passed = draft.passedPlaces();
        int best = costs(apart, demand.policy(), demand.request(), nodes.at(passed))
                .cheapest();
        return best < 0 ? best : passed[best];
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
        Scoring scoring = placer.scoring(policy);
        NodeCosts[] costs = {nodes.costs(scoring, request)};
        visit(
                apart,
                nodes,
                (place, node) -> costs[0] = costs[0].with(
                        nodes.index(place),
                        RecentCosts.cost(FreeNodes.of(nodes.name(place), node), scoring, request),
                        request));
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
