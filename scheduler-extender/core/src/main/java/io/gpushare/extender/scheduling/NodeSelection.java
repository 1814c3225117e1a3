package io.gpushare.extender.scheduling;

import io.gpushare.extender.feasibility.FilterResult;
import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.Reservation;
import io.gpushare.extender.ledger.Reservation.Source;
import io.gpushare.extender.placement.NodeCosts;
import io.gpushare.extender.placement.PlacementOutcomes;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.policy.KnownNode;
import io.gpushare.extender.policy.PodKind;
import io.gpushare.extender.policy.Verdict;
import io.gpushare.model.node.Taint;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.IntStream;
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

    /**
     * Which of the nodes with these names can take the pod or, if filter decides, which one of them the policy chooses.
     * A pod without GPU fits every node.
     */
    public FilterResult filter(SchedulingPod pod, List<String> names) {
        return switch (ledger.demand(pod)) {
            case PodDemand.NoGpu _ -> admitted(pod, FilterResult.of(names, _ -> null));
            case PodDemand.Invalid(String sentence) -> {
                Reason invalid = Reason.invalidDemand(sentence);
                yield FilterResult.of(names, _ -> invalid);
            }
            case PodDemand.Valid demand -> filter(pod, demand, names);
        };
    }

    /** Each step refuses some of the nodes that are left. */
    private FilterResult filter(SchedulingPod pod, PodDemand.Valid demand, List<String> names) {
        boolean shown = isShown(pod, demand);
        if (shown) {
            endOtherCycles(pod.traits().group());
        }
        List<KnownNode> nodes = named(pod, names);
        PodKind kind = kind(demand);
        List<Verdict> verdicts = placer.nodes().verdicts(nodes, kind);
        FilterResult result = admitted(
                pod, FilterResult.of(names, place -> verdicts.get(place).refusal()));
        Set<String> closed = outcomes.admissions().closedFor(pod.ref().namespace());
        if (!closed.isEmpty()) {
            result = result.refusing(closed::contains, Reason.BACKING_OFF);
        }
        if (result.hopeless() && hopeless(kind)) {
            result = result.needingScaleUp();
        }
        if (result.passed() > 1 && decides(pod, result)) {
            result = decide(pod.ref().uid(), kind.request(), nodes, verdicts, result);
        }
        if (shown || ledger.podEntry(pod.ref().uid()).isEmpty()) {
            reserve(pod, demand, result);
        }
        return result;
    }

    private FilterResult admitted(SchedulingPod pod, FilterResult result) {
        Set<String> rejecting = ledger.rejecting(pod);
        return rejecting.isEmpty() ? result : result.refusing(rejecting::contains, Reason.ZERO_OF_NONE);
    }

    /** The nodes with these names, as the pod may use them. */
    private List<KnownNode> named(SchedulingPod pod, List<String> names) {
        return placer.nodes().named(names, ledger.nodesApart(pod.ref().uid(), pod.priority()));
    }

    private PodKind kind(PodDemand.Valid demand) {
        return new PodKind(placer.scoring(demand.policy()), demand.request(), demand.demand());
    }

    /** Whether no node of the cluster could take such a pod, even if it were empty. */
    private boolean hopeless(PodKind kind) {
        List<KnownNode> all = placer.nodes().all();
        List<Verdict> verdicts = placer.nodes().verdicts(all, kind);
        return FilterResult.of(
                        all.stream().map(KnownNode::name).toList(),
                        place -> verdicts.get(place).refusal())
                .hopeless();
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

    private boolean decides(SchedulingPod pod, FilterResult result) {
        return switch (decideIn) {
            case FILTER -> true;
            case PRIORITIZE -> false;
            case AUTO -> !pod.traits().preferences() && !meetsSoftTaint(pod, result);
        };
    }

    /** Whether one of the feasible nodes has a soft taint that the pod does not tolerate. */
    private boolean meetsSoftTaint(SchedulingPod pod, FilterResult result) {
        Map<String, List<Taint>> tainted = softTaints.get();
        return !tainted.isEmpty()
                && result.feasible().stream()
                        .anyMatch(name -> !pod.traits().tolerates(tainted.getOrDefault(name, List.of())));
    }

    /**
     * Leaves only the feasible node that the policy chooses, or all of them for prioritize if the policy chooses none.
     * Nodes that were chosen before in vain come last. The cheapest node may be refused: a policy does not weigh a
     * split over cards or conditions on single cards.
     */
    private FilterResult decide(
            String podUid, PodRequest pod, List<KnownNode> nodes, List<Verdict> verdicts, FilterResult feasible) {
        Set<String> passedOver = outcomes.attempts().passedOver(podUid);
        FilterResult first =
                passedOver.isEmpty() ? feasible : feasible.refusing(passedOver::contains, Reason.PASSED_OVER);
        FilterResult result = first.passed() == 0 ? feasible : first;
        int[] passed = result.passedPlaces();
        int best = new NodeCosts(
                        IntStream.of(passed).mapToObj(nodes::get).toList(),
                        IntStream.of(passed).mapToObj(verdicts::get).toList(),
                        pod)
                .cheapest();
        return best < 0 ? result : result.choosing(passed[best]);
    }

    /**
     * Reserves what the pod requests on the only node that is left for it, in place of what was reserved for it before.
     * A pod that was named nodes in vain again and again reserves nothing: it would keep cards from others. One of a
     * gang reserves until a pod of no such gang comes, because kube-scheduler tries all of a gang before it binds one.
     */
    private void reserve(SchedulingPod pod, PodDemand.Valid demand, FilterResult result) {
        String podUid = pod.ref().uid();
        @Nullable String gang = pod.traits().group();
        ofThisCycle.remove(podUid);
        if (result.passed() == 1 && mayReserve(podUid)) {
            String node = result.feasible().getFirst();
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

    /**
     * Scores the nodes with these names for the pod, in their order: {@link #MAX_SCORE} for the node that the policy
     * chooses, 0 to 9 by cost for the others, 0 where the pod does not fit. Only one node has the best score because
     * kube-scheduler picks at random among equal scores.
     *
     * <p>With {@link DecideIn#AUTO} kube-scheduler asks for pods that state preferences, and these must weigh more: the
     * scores are half as large.
     *
     * <p>A pod without GPU only takes CPU and memory that GPU pods need: every node where it costs least has
     * {@link #MAX_SCORE}, and kube-scheduler's own scores choose among them.
     */
    public int[] prioritize(SchedulingPod pod, List<String> names) {
        return switch (ledger.demand(pod)) {
            case PodDemand.NoGpu(PodRequest request, boolean _) ->
                costs(
                                PodKind.withoutCards(placer.scoring(null), request),
                                placer.nodes().named(names, Map.of()))
                        .scores(MAX_SCORE);
            case PodDemand.Invalid _ -> new int[names.size()];
            case PodDemand.Valid demand ->
                costs(kind(demand), named(pod, names)).scores(decideIn == DecideIn.AUTO ? MAX_SCORE / 2 : MAX_SCORE);
        };
    }

    private NodeCosts costs(PodKind kind, List<KnownNode> nodes) {
        return new NodeCosts(nodes, placer.nodes().verdicts(nodes, kind), kind.request());
    }
}
