package io.gpushare.extender.preemption;

import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.extender.pod.PodPriority;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.model.Demand;
import io.gpushare.model.ledger.NodeCards;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The verb preempt: kube-scheduler names candidate nodes and, on each, the victims by the sums that it knows. This adds
 * victims until the preemptor finds its cards.
 *
 * <p>kube-scheduler's own victims stay: they may be chosen for CPU, a port or an affinity. {@link VictimSearch} finds the
 * others among pods of lower priority that the API shows bound to the node; kube-scheduler knows no others, and would
 * reject the whole response.
 */
public final class Preemption {
    private final Ledger ledger;

    public Preemption(Ledger ledger) {
        this.ledger = ledger;
    }

    /**
     * The victims by node, in the order of the candidates, without the nodes on which no eviction helps. It is empty if the
     * pod fits a candidate without eviction: kube-scheduler accepts no node without victims, so it retries the pod instead
     * of evicting elsewhere.
     */
    public Map<String, Victims> preempt(SchedulingPod pod, Map<String, Victims> candidates) {
        return switch (ledger.demand(pod)) {
            case PodDemand.NoGpu _ -> new LinkedHashMap<>(candidates);
            case PodDemand.Invalid _ -> Map.of();
            case PodDemand.Valid valid -> preempt(pod, valid.demand(), candidates);
        };
    }

    private Map<String, Victims> preempt(SchedulingPod pod, Demand demand, Map<String, Victims> candidates) {
        Map<String, Victims> victimsByNode = new LinkedHashMap<>();
        for (Map.Entry<String, Victims> candidate : candidates.entrySet()) {
            Optional<Victims> victims = onNode(pod, demand, candidate.getKey(), candidate.getValue());
            if (victims.isPresent() && victims.get().uids().isEmpty()) {
                return Map.of();
            }
            victims.ifPresent(found -> victimsByNode.put(candidate.getKey(), found));
        }
        return victimsByNode;
    }

    private Optional<Victims> onNode(SchedulingPod pod, Demand demand, String name, Victims chosen) {
        NodeEntry node = ledger.nodeEntryFor(pod.ref().uid(), pod.priority(), name);
        if (node.unavailable() != null) {
            return Optional.empty();
        }
        NodeCards cards = node.cards();
        for (String uid : chosen.uids()) {
            cards = cards.without(uid);
        }
        return VictimSearch.victims(cards, demand, evictable(cards, name, pod.priority()))
                .map(more -> new Victims(inOrder(chosen.uids(), more), chosen.pdbViolations()));
    }

    private Map<String, PodPriority> evictable(NodeCards cards, String node, int belowPriority) {
        Map<String, PodPriority> evictable = new HashMap<>();
        for (NodeCards.Holding holding : cards.holdings()) {
            String uid = holding.holder().key();
            ledger.podEntry(uid)
                    .filter(entry ->
                            node.equals(entry.node()) && entry.priority().value() < belowPriority)
                    .ifPresent(entry -> evictable.put(uid, entry.priority()));
        }
        return evictable;
    }

    /** Inserts each before the first with a known lower priority: the priority of pods without GPU is unknown. */
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
        return ledger.podEntry(uid).map(entry -> entry.priority().value()).orElse(Integer.MAX_VALUE);
    }
}
