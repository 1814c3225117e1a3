package io.gpushare.extender.scheduling;

import io.gpushare.extender.placement.Ask;
import io.gpushare.extender.placement.Costs;
import io.gpushare.extender.placement.NodeRoom;
import io.gpushare.extender.placement.PodRequest;
import io.gpushare.extender.placement.PolicyKind;
import io.gpushare.extender.placement.RecentCosts;
import io.gpushare.model.Demand;
import io.gpushare.model.codec.ComputeCodec;
import io.gpushare.model.codec.Decoded;
import io.gpushare.model.codec.DemandCodec;
import java.util.ArrayList;
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
    private final RecentCosts recent = new RecentCosts();

    /** @param filterDecides whether filter names only the node that the policy takes, instead of each that would do */
    public NodeChoice(Ledger ledger, DemandCodec demands, boolean filterDecides) {
        this.ledger = ledger;
        this.demands = demands;
        this.filterDecides = filterDecides;
    }

    /** Which of these nodes can take the pod. A pod that asks for neither resource fits everywhere. */
    public Filtered filter(SchedulingPod pod, List<? extends NodeName> nodes) {
        return switch (demands.decode(pod.containers(), pod.annotations())) {
            case Decoded.Absent<Demand>() -> new Filtered(nodes, new @Nullable Reason[nodes.size()]);
            case Decoded.Malformed<Demand>(String sentence) -> nowhere(sentence, nodes);
            case Decoded.Valid<Demand>(Demand demand) ->
                Wanted.fault(pod.annotations())
                        .map(sentence -> nowhere(sentence, nodes))
                        .orElseGet(() -> filter(
                                pod.ref().uid(), ledger.wanted(demand, pod.containers(), pod.annotations()), nodes));
        };
    }

    private static Filtered nowhere(String sentence, List<? extends NodeName> nodes) {
        @Nullable Reason[] why = new @Nullable Reason[nodes.size()];
        Arrays.fill(why, Reason.badDemand(sentence));
        return new Filtered(nodes, why);
    }

    private Filtered filter(String podUid, Wanted wanted, List<? extends NodeName> nodes) {
        Ask ask = Ask.of(wanted.demand());
        @Nullable Reason[] why = new @Nullable Reason[nodes.size()];
        List<Hold> own = holds(podUid);
        for (int i = 0; i < why.length; i++) {
            @Nullable NodeEntry freed = freed(nodes.get(i), podUid, own);
            why[i] = freed == null ? ledger.refusal(nodes.get(i), ask) : freed.refusal(ask);
        }
        if (filterDecides) {
            decide(podUid, own, wanted, nodes, why);
        }
        return new Filtered(nodes, why);
    }

    /** Leaves of the nodes that would do only the one that the policy takes, if it takes one. */
    private void decide(
            String podUid, List<Hold> own, Wanted wanted, List<? extends NodeName> nodes, @Nullable Reason[] why) {
        List<NodeName> feasible = new ArrayList<>();
        List<Integer> places = new ArrayList<>();
        for (int i = 0; i < why.length; i++) {
            if (why[i] == null) {
                feasible.add(nodes.get(i));
                places.add(i);
            }
        }
        int best =
                costs(own, podUid, wanted.policy(), wanted.request(), feasible).cheapest();
        for (int i = 0; best >= 0 && i < places.size(); i++) {
            if (i != best) {
                why[places.get(i)] = Reason.NOT_CHOSEN;
            }
        }
    }

    /**
     * How well each of these nodes would take the pod, in their order: {@link #MOST} for the one that the policy takes,
     * 0 to 9 for the others by their cost, 0 where it fits not at all. One winner, since kube-scheduler draws among equals.
     *
     * <p>A pod that asks for no card only takes cpu and memory from cards: every node where it costs these nothing, or
     * least, has {@link #MOST}, and kube-scheduler's own scores choose among them.
     */
    public int[] prioritize(SchedulingPod pod, List<? extends NodeName> nodes) {
        return switch (demands.decode(pod.containers(), pod.annotations())) {
            case Decoded.Malformed<Demand>(String sentence) -> new int[nodes.size()];
            case Decoded.Absent<Demand>() ->
                costs(List.of(), "", null, PodRequest.plain(ComputeCodec.requested(pod.containers())), nodes)
                        .scores(MOST);
            case Decoded.Valid<Demand>(Demand demand) ->
                prioritize(pod, ledger.wanted(demand, pod.containers(), pod.annotations()), nodes);
        };
    }

    private int[] prioritize(SchedulingPod pod, Wanted wanted, List<? extends NodeName> nodes) {
        String uid = pod.ref().uid();
        return costs(holds(uid), uid, wanted.policy(), wanted.request(), nodes).scores(MOST);
    }

    private Costs costs(
            List<Hold> own,
            String podUid,
            @Nullable PolicyKind policy,
            PodRequest request,
            List<? extends NodeName> nodes) {
        List<NodeRoom> rooms = new ArrayList<>(nodes.size());
        int[] numbers = new int[nodes.size()];
        for (int i = 0; i < numbers.length; i++) {
            NodeName node = nodes.get(i);
            @Nullable NodePlace place = ledger.place(node);
            @Nullable NodeEntry freed = freed(node, podUid, own);
            numbers[i] = place == null ? NodePlace.NOWHERE : place.number();
            rooms.add(
                    freed != null
                            ? freed.room()
                            : place == null ? NodeEntry.orUnheard(null).room() : place.room());
        }
        return recent.of(rooms, numbers, ledger.scoring(policy), request);
    }

    private List<Hold> holds(String podUid) {
        return ledger.podEntry(podUid).map(PodEntry::holds).orElse(List.of());
    }

    /**
     * The node without what an earlier attempt to bind this very pod still holds there, which is no obstacle to it; null
     * where it holds nothing.
     */
    private @Nullable NodeEntry freed(NodeName node, String podUid, List<Hold> own) {
        if (own.isEmpty()) {
            return null;
        }
        return own.stream().anyMatch(hold -> hold.node().equals(node.toString()))
                ? ledger.nodeEntry(node).without(podUid)
                : null;
    }
}
