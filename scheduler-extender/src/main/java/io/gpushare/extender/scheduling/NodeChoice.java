package io.gpushare.extender.scheduling;

import io.gpushare.extender.placement.Ask;
import io.gpushare.extender.placement.Costs;
import io.gpushare.extender.placement.PodRequest;
import io.gpushare.extender.placement.PolicyKind;
import io.gpushare.extender.placement.RecentCosts;
import io.gpushare.extender.placement.Scoring;
import io.gpushare.model.Demand;
import io.gpushare.model.codec.ComputeCodec;
import io.gpushare.model.codec.Decoded;
import io.gpushare.model.codec.DemandCodec;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The verbs filter and prioritize. They only read the ledger and reserve nothing: kube-scheduler asks about many nodes
 * and binds to one.
 */
public final class NodeChoice {
    /** The best score: kube-scheduler's MaxExtenderPriority. */
    public static final int MOST = 10;

    private final Ledger ledger;
    private final DemandCodec demands;
    private final boolean filterDecides;

    /** @param filterDecides whether filter names only the node that the policy takes, instead of each that would do */
    public NodeChoice(Ledger ledger, DemandCodec demands, boolean filterDecides) {
        this.ledger = ledger;
        this.demands = demands;
        this.filterDecides = filterDecides;
    }

    /** The nodes, of which these verbs are asked by number. */
    public NodeColumns columns() {
        return ledger.columns();
    }

    /** The nodes of these names. */
    public NodeNumbers named(List<String> names) {
        return NodeNumbers.of(columns(), names);
    }

    /**
     * Which of these nodes can take the pod, and where filter decides, which one of them is to. A pod that asks for neither
     * resource fits everywhere.
     */
    public Filtered filter(SchedulingPod pod, NodeNumbers nodes) {
        return filter(pod, nodes, filterDecides);
    }

    /** Which of these nodes can take the pod, whatever filter answers of them. */
    public Filtered judge(SchedulingPod pod, NodeNumbers nodes) {
        return filter(pod, nodes, false);
    }

    private Filtered filter(SchedulingPod pod, NodeNumbers nodes, boolean decides) {
        return switch (demands.decode(pod.containers(), pod.annotations())) {
            case Decoded.Absent<Demand>() -> Filtered.of(new @Nullable Reason[nodes.size()]);
            case Decoded.Malformed<Demand>(String sentence) -> nowhere(sentence, nodes);
            case Decoded.Valid<Demand>(Demand demand) ->
                Wanted.fault(pod.annotations())
                        .map(sentence -> nowhere(sentence, nodes))
                        .orElseGet(() -> {
                            Filtered feasible = feasible(pod.ref().uid(), demand, nodes);
                            return decides ? decided(pod, demand, nodes, feasible) : feasible;
                        });
        };
    }

    private static Filtered nowhere(String sentence, NodeNumbers nodes) {
        @Nullable Reason[] why = new @Nullable Reason[nodes.size()];
        Arrays.fill(why, Reason.badDemand(sentence));
        return Filtered.of(why);
    }

    private Filtered feasible(String podUid, Demand demand, NodeNumbers nodes) {
        Ask ask = Ask.of(demand);
        Filtered filtered = nodes.filter(ask);
        if (holds(podUid).isEmpty()) {
            return filtered;
        }
        @Nullable Reason[] why = filtered.whys();
        freed(podUid, nodes, (place, freed) -> why[place] = freed.refusal(ask));
        return Filtered.of(why);
    }

    /**
     * Leaves of the nodes that would do only the one that the policy takes; all, for prioritize to be asked, if it takes none.
     * What a pod costs says little of a split over cards and of conditions on single cards: the cheapest of all may be one
     * that is refused.
     */
    private Filtered decided(SchedulingPod pod, Demand demand, NodeNumbers nodes, Filtered filtered) {
        if (filtered.passed() < 2) {
            return filtered;
        }
        Wanted wanted = ledger.wanted(demand, pod.containers(), pod.annotations());
        String podUid = pod.ref().uid();
        if (holds(podUid).isEmpty()) {
            int best = nodes.cheapestOfAll(ledger.scoring(wanted.policy()), wanted.request());
            if (best >= 0 && filtered.why(best) == null) {
                return filtered.only(best);
            }
        }
        int[] passed = filtered.passedPlaces();
        int best = costs(podUid, wanted.policy(), wanted.request(), nodes.at(passed))
                .cheapest();
        return best < 0 ? filtered : filtered.only(passed[best]);
    }

    private List<Hold> holds(String podUid) {
        return ledger.podEntry(podUid).map(PodEntry::holds).orElse(List.of());
    }

    /**
     * How well each of these nodes would take the pod, in their order: {@link #MOST} for the one that the policy takes,
     * 0 to 9 for the others by their cost, 0 where it fits not at all. One winner, since kube-scheduler draws among equals.
     *
     * <p>A pod that asks for no card only takes cpu and memory from cards: every node where it costs these nothing, or
     * least, has {@link #MOST}, and kube-scheduler's own scores choose among them.
     */
    public int[] prioritize(SchedulingPod pod, NodeNumbers nodes) {
        return switch (demands.decode(pod.containers(), pod.annotations())) {
            case Decoded.Malformed<Demand>(String sentence) -> new int[nodes.size()];
            case Decoded.Absent<Demand>() ->
                costs("", null, PodRequest.plain(ComputeCodec.requested(pod.containers())), nodes)
                        .scores(MOST);
            case Decoded.Valid<Demand>(Demand demand) -> {
                Wanted wanted = ledger.wanted(demand, pod.containers(), pod.annotations());
                yield costs(pod.ref().uid(), wanted.policy(), wanted.request(), nodes)
                        .scores(MOST);
            }
        };
    }

    private Costs costs(String podUid, @Nullable PolicyKind policy, PodRequest request, NodeNumbers nodes) {
        Scoring scoring = ledger.scoring(policy);
        Costs[] costs = {nodes.costs(scoring, request)};
        freed(
                podUid,
                nodes,
                (place, freed) -> costs[0] =
                        costs[0].with(nodes.number(place), RecentCosts.cost(freed.room(), scoring, request), request));
        return costs[0];
    }

    private interface Freed {
        void at(int place, NodeEntry freed);
    }

    /** The nodes without what an earlier attempt to bind this very pod still holds there, which is no obstacle to it. */
    private void freed(String podUid, NodeNumbers nodes, Freed then) {
        for (Hold hold : holds(podUid)) {
            NodeEntry freed = ledger.nodeEntry(hold.node()).without(podUid);
            for (int place : nodes.places(hold.node())) {
                then.at(place, freed);
            }
        }
    }
}
