package io.gpushare.extender.scheduling;

import io.gpushare.extender.capacity.PodRequest;
import io.gpushare.extender.feasibility.DemandSummary;
import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.FilterResult;
import io.gpushare.extender.ledger.Holding;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.NodeDirectory;
import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.ledger.NodeIndices;
import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.pod.PodSpecSummary;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.policy.NodeCosts;
import io.gpushare.extender.policy.PolicyKind;
import io.gpushare.extender.policy.RecentCosts;
import io.gpushare.extender.policy.scoring.Scoring;
import io.gpushare.model.Demand;
import io.gpushare.model.codec.Decoded;
import io.gpushare.model.codec.DemandCodec;
import io.gpushare.model.codec.HostResourcesCodec;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The verbs filter and prioritize. They only read the ledger and reserve nothing: kube-scheduler asks about many nodes
 * and binds to one.
 */
public final class NodeSelection {
    /** The best score: kube-scheduler's MaxExtenderPriority. */
    public static final int MOST = 10;

    private final Ledger ledger;
    private final DemandCodec demands;
    private final boolean filterDecides;

    /** @param filterDecides whether filter names only the node that the policy takes, instead of each that would do */
    public NodeSelection(Ledger ledger, DemandCodec demands, boolean filterDecides) {
        this.ledger = ledger;
        this.demands = demands;
        this.filterDecides = filterDecides;
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
     * Which of these nodes can take the pod, and where filter decides, which one of them is to. A pod that asks for neither
     * resource fits everywhere.
     */
    public FilterResult filter(SchedulingPod pod, NodeIndices nodes) {
        return filter(pod, nodes, filterDecides);
    }

    /** Which of these nodes can take the pod, whatever filter answers of them. */
    public FilterResult judge(SchedulingPod pod, NodeIndices nodes) {
        return filter(pod, nodes, false);
    }

    private FilterResult filter(SchedulingPod pod, NodeIndices nodes, boolean decides) {
        return switch (demands.decode(pod.containers(), pod.annotations())) {
            case Decoded.Absent<Demand>() -> FilterResult.of(new @Nullable Reason[nodes.size()]);
            case Decoded.Malformed<Demand>(String sentence) -> nowhere(sentence, nodes);
            case Decoded.Valid<Demand>(Demand demand) ->
                PodSpecSummary.fault(pod.annotations())
                        .map(sentence -> nowhere(sentence, nodes))
                        .orElseGet(() -> {
                            FilterResult feasible = feasible(pod.ref().uid(), demand, nodes);
                            return decides ? decided(pod, demand, nodes, feasible) : feasible;
                        });
        };
    }

    private static FilterResult nowhere(String sentence, NodeIndices nodes) {
        @Nullable Reason[] why = new @Nullable Reason[nodes.size()];
        Arrays.fill(why, Reason.badDemand(sentence));
        return FilterResult.of(why);
    }

    private FilterResult feasible(String podUid, Demand demand, NodeIndices nodes) {
        DemandSummary ask = DemandSummary.of(demand);
        FilterResult filtered = nodes.filter(ask);
        if (holds(podUid).isEmpty()) {
            return filtered;
        }
        @Nullable Reason[] why = filtered.whys();
        freed(podUid, nodes, (place, freed) -> why[place] = freed.refusal(ask));
        return FilterResult.of(why);
    }

    /**
     * Leaves of the nodes that would do only the one that the policy takes; all, for prioritize to be asked, if it takes none.
     * What a pod costs says little of a split over cards and of conditions on single cards: the cheapest of all may be one
     * that is refused.
     */
    private FilterResult decided(SchedulingPod pod, Demand demand, NodeIndices nodes, FilterResult filtered) {
        if (filtered.passed() < 2) {
            return filtered;
        }
        PodSpecSummary wanted = ledger.wanted(demand, pod.containers(), pod.annotations());
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

    private List<Holding> holds(String podUid) {
        return ledger.podEntry(podUid).map(PodEntry::holds).orElse(List.of());
    }

    /**
     * How well each of these nodes would take the pod, in their order: {@link #MOST} for the one that the policy takes,
     * 0 to 9 for the others by their cost, 0 where it fits not at all. One winner, since kube-scheduler draws among equals.
     *
     * <p>A pod that asks for no card only takes cpu and memory from cards: every node where it costs these nothing, or
     * least, has {@link #MOST}, and kube-scheduler's own scores choose among them.
     */
    public int[] prioritize(SchedulingPod pod, NodeIndices nodes) {
        return switch (demands.decode(pod.containers(), pod.annotations())) {
            case Decoded.Malformed<Demand>(String sentence) -> new int[nodes.size()];
            case Decoded.Absent<Demand>() ->
                costs("", null, PodRequest.plain(HostResourcesCodec.requested(pod.containers())), nodes)
                        .scores(MOST);
            case Decoded.Valid<Demand>(Demand demand) -> {
                PodSpecSummary wanted = ledger.wanted(demand, pod.containers(), pod.annotations());
                yield costs(pod.ref().uid(), wanted.policy(), wanted.request(), nodes)
                        .scores(MOST);
            }
        };
    }

    private NodeCosts costs(String podUid, @Nullable PolicyKind policy, PodRequest request, NodeIndices nodes) {
        Scoring scoring = ledger.scoring(policy);
        NodeCosts[] costs = {nodes.costs(scoring, request)};
        freed(
                podUid,
                nodes,
                (place, freed) -> costs[0] =
                        costs[0].with(nodes.index(place), RecentCosts.cost(freed.room(), scoring, request), request));
        return costs[0];
    }

    private interface Freed {
        void at(int place, NodeEntry freed);
    }

    /** The nodes without what an earlier attempt to bind this very pod still holds there, which is no obstacle to it. */
    private void freed(String podUid, NodeIndices nodes, Freed then) {
        for (Holding hold : holds(podUid)) {
            NodeEntry freed = ledger.nodeEntry(hold.node()).without(podUid);
            for (int place : nodes.places(hold.node())) {
                then.at(place, freed);
            }
        }
    }
}
