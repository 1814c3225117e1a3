package io.gpushare.extender.scheduling;

import io.gpushare.extender.placement.Ask;
import io.gpushare.extender.placement.Costs;
import io.gpushare.extender.placement.NodeRoom;
import io.gpushare.extender.placement.PodRequest;
import io.gpushare.model.Demand;
import io.gpushare.model.codec.ComputeCodec;
import io.gpushare.model.codec.Decoded;
import io.gpushare.model.codec.DemandCodec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

    /** Which of these nodes can take the pod. A pod that asks for neither resource fits everywhere. */
    public Filtered filter(SchedulingPod pod, List<String> nodes) {
        return switch (demands.decode(pod.containers(), pod.annotations())) {
            case Decoded.Absent<Demand>() -> new Filtered(nodes, Map.of());
            case Decoded.Malformed<Demand>(String sentence) -> nowhere(sentence, nodes);
            case Decoded.Valid<Demand>(Demand demand) ->
                Wanted.fault(pod.annotations())
                        .map(sentence -> nowhere(sentence, nodes))
                        .orElseGet(() -> filter(
                                pod.ref().uid(), ledger.wanted(demand, pod.containers(), pod.annotations()), nodes));
        };
    }

    private static Filtered nowhere(String sentence, List<String> nodes) {
        Map<String, Reason> failed = new LinkedHashMap<>();
        Reason reason = Reason.badDemand(sentence);
        nodes.forEach(node -> failed.put(node, reason));
        return new Filtered(List.of(), failed);
    }

    private Filtered filter(String podUid, Wanted wanted, List<String> nodes) {
        Ask ask = Ask.of(wanted.demand());
        List<String> feasible = new ArrayList<>(nodes.size());
        List<NodeRoom> rooms = new ArrayList<>(nodes.size());
        Map<String, Reason> failed = new LinkedHashMap<>();
        List<Hold> own = holds(podUid);
        for (String node : nodes) {
            NodeEntry entry = entry(node, podUid, own);
            @Nullable Reason refusal = entry.refusal(ask);
            if (refusal == null) {
                feasible.add(node);
                rooms.add(entry.room());
            } else {
                failed.put(node, refusal);
            }
        }
        if (filterDecides && feasible.size() > 1) {
            int best = new Costs(rooms, ledger.scoring(wanted.policy()), wanted.request()).cheapest();
            if (best >= 0) {
                for (int i = 0; i < feasible.size(); i++) {
                    if (i != best) {
                        failed.put(feasible.get(i), Reason.NOT_CHOSEN);
                    }
                }
                feasible = List.of(feasible.get(best));
            }
        }
        return new Filtered(feasible, failed);
    }

    /**
     * How well each of these nodes would take the pod, in their order: {@link #MOST} for the one that the policy takes,
     * 0 to 9 for the others by their cost, 0 where it fits not at all. One winner, since kube-scheduler draws among equals.
     *
     * <p>A pod that asks for no card only takes cpu and memory from cards: every node where it costs these nothing, or
     * least, has {@link #MOST}, and kube-scheduler's own scores choose among them.
     */
    public int[] prioritize(SchedulingPod pod, List<String> nodes) {
        return switch (demands.decode(pod.containers(), pod.annotations())) {
            case Decoded.Malformed<Demand>(String sentence) -> new int[nodes.size()];
            case Decoded.Absent<Demand>() -> {
                PodRequest request = PodRequest.plain(ComputeCodec.requested(pod.containers()));
                List<NodeRoom> rooms = nodes.stream()
                        .map(node -> ledger.nodeEntry(node).room())
                        .toList();
                yield new Costs(rooms, ledger.scoring(null), request).scores(MOST);
            }
            case Decoded.Valid<Demand>(Demand demand) ->
                prioritize(pod, ledger.wanted(demand, pod.containers(), pod.annotations()), nodes);
        };
    }

    private int[] prioritize(SchedulingPod pod, Wanted wanted, List<String> nodes) {
        List<NodeRoom> rooms = new ArrayList<>(nodes.size());
        List<Hold> own = holds(pod.ref().uid());
        for (String node : nodes) {
            rooms.add(entry(node, pod.ref().uid(), own).room());
        }
        return new Costs(rooms, ledger.scoring(wanted.policy()), wanted.request()).scores(MOST);
    }

    private List<Hold> holds(String podUid) {
        return ledger.podEntry(podUid).map(PodEntry::holds).orElse(List.of());
    }

    /** The node, without what an earlier attempt to bind this very pod may still hold there: that is no obstacle to it. */
    private NodeEntry entry(String node, String podUid, List<Hold> own) {
        NodeEntry entry = ledger.nodeEntry(node);
        if (own.isEmpty()) {
            return entry;
        }
        return own.stream().anyMatch(hold -> hold.node().equals(node)) ? entry.without(podUid) : entry;
    }
}
