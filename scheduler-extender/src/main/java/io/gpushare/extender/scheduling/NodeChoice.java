package io.gpushare.extender.scheduling;

import io.gpushare.extender.placement.Ask;
import io.gpushare.extender.placement.Binpack;
import io.gpushare.model.Demand;
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
    private final Ledger ledger;
    private final DemandCodec demands;

    public NodeChoice(Ledger ledger, DemandCodec demands) {
        this.ledger = ledger;
        this.demands = demands;
    }

    /** Which of these nodes can take the pod. A pod that asks for neither resource fits everywhere. */
    public Filtered filter(SchedulingPod pod, List<String> nodes) {
        return switch (demands.decode(pod.containers())) {
            case Decoded.Absent<Demand>() -> new Filtered(nodes, Map.of());
            case Decoded.Valid<Demand>(Demand demand) -> filter(pod.ref().uid(), Ask.of(demand), nodes);
            case Decoded.Malformed<Demand>(String sentence) -> {
                Map<String, Reason> failed = new LinkedHashMap<>();
                Reason reason = Reason.badDemand(sentence);
                nodes.forEach(node -> failed.put(node, reason));
                yield new Filtered(List.of(), failed);
            }
        };
    }

    private Filtered filter(String podUid, Ask ask, List<String> nodes) {
        List<String> feasible = new ArrayList<>(nodes.size());
        Map<String, Reason> failed = new LinkedHashMap<>();
        // What an earlier attempt to bind this very pod may still hold is no obstacle to it.
        List<Hold> own = ledger.podEntry(podUid).map(PodEntry::holds).orElse(List.of());
        for (String node : nodes) {
            NodeEntry entry = ledger.nodeEntry(node);
            if (own.stream().anyMatch(hold -> hold.node().equals(node))) {
                entry = entry.without(podUid);
            }
            @Nullable Reason refusal = entry.refusal(ask);
            if (refusal == null) {
                feasible.add(node);
            } else {
                failed.put(node, refusal);
            }
        }
        return new Filtered(feasible, failed);
    }

    /** How well each of these nodes would take the pod: 0 to {@link Binpack#MOST}, in their order. */
    public int[] prioritize(SchedulingPod pod, List<String> nodes) {
        int[] scores = new int[nodes.size()];
        demands.decode(pod.containers()).valid().map(Ask::of).ifPresent(ask -> {
            for (int i = 0; i < scores.length; i++) {
                scores[i] = Binpack.score(ledger.nodeEntry(nodes.get(i)).summary(), ask);
            }
        });
        return scores;
    }
}
