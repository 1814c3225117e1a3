package io.gpushare.extender.preemption;

import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.pod.PodPriority;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.model.Demand;
import io.gpushare.model.codec.Decoded;
import io.gpushare.model.codec.DemandCodec;
import io.gpushare.model.ledger.NodeCards;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The verb preempt: kube-scheduler names nodes, and on each the pods that it would evict by the sums that it knows. Here
 * it is made sure that the preemptor finds its cards afterwards.
 *
 * <p>What kube-scheduler chose stays chosen: nobody here knows whether it was for cards, cpu, a port or an affinity. Who
 * must go beside them is found by {@link VictimSearch} among pods of lower priority that the API shows bound there; the
 * scheduler knows no others, and would take the whole answer for an error.
 */
public final class Preemption {
    private final Ledger ledger;
    private final DemandCodec demands;

    public Preemption(Ledger ledger, DemandCodec demands) {
        this.ledger = ledger;
        this.demands = demands;
    }

    /**
     * Who must go, by node, in the order of the candidates; nodes on which no eviction helps are left out. None at all if
     * the pod would fit one of them as it is: kube-scheduler does not take a node without victims, so it is to look again
     * instead of evicting elsewhere.
     */
    public Map<String, Victims> preempt(SchedulingPod pod, Map<String, Victims> candidates) {
        return switch (demands.decode(pod.containers(), pod.annotations())) {
            case Decoded.Absent<Demand>() -> new LinkedHashMap<>(candidates);
            case Decoded.Malformed<Demand> malformed -> Map.of();
            case Decoded.Valid<Demand>(Demand demand) -> preempt(pod, demand, candidates);
        };
    }

    private Map<String, Victims> preempt(SchedulingPod pod, Demand demand, Map<String, Victims> candidates) {
        Map<String, Victims> answer = new LinkedHashMap<>();
        for (Map.Entry<String, Victims> candidate : candidates.entrySet()) {
            Optional<Victims> victims = onNode(pod, demand, candidate.getKey(), candidate.getValue());
            if (victims.isPresent() && victims.get().uids().isEmpty()) {
                return Map.of();
            }
            victims.ifPresent(found -> answer.put(candidate.getKey(), found));
        }
        return answer;
    }

    private Optional<Victims> onNode(SchedulingPod pod, Demand demand, String name, Victims chosen) {
        NodeEntry node = ledger.nodeEntry(name);
        if (node.unusable() != null) {
            return Optional.empty();
        }
        NodeCards cards = node.cards().without(pod.ref().uid());
        for (String uid : chosen.uids()) {
            cards = cards.without(uid);
        }
        return VictimSearch.victims(cards, demand, evictable(cards, name, pod.priority()))
                .map(more -> new Victims(inOrder(chosen.uids(), more), chosen.pdbViolations()));
    }

    private Map<String, PodPriority> evictable(NodeCards cards, String node, int below) {
        Map<String, PodPriority> evictable = new HashMap<>();
        for (NodeCards.Holding holding : cards.holdings()) {
            String uid = holding.holder().key();
            ledger.podEntry(uid)
                    .filter(entry -> node.equals(entry.node()) && entry.rank().priority() < below)
                    .ifPresent(entry -> evictable.put(uid, entry.rank()));
        }
        return evictable;
    }

    /** Each before the first that is known to be of lower priority: of other than GPU pods the priority is not known. */
    private List<String> inOrder(List<String> chosen, List<String> more) {
        List<String> all = new ArrayList<>(chosen);
        for (String uid : more) {
            int at = 0;
            while (at < all.size() && priority(all.get(at)) >= priority(uid)) {
                at++;
            }
            all.add(at, uid);
        }
        return all;
    }

    private int priority(String uid) {
        return ledger.podEntry(uid).map(entry -> entry.rank().priority()).orElse(Integer.MAX_VALUE);
    }
}
