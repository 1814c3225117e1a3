package io.gpushare.extender.capacity;

import io.gpushare.model.card.Share;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The capacity of a cluster, free or not.
 *
 * @param cards the number of cards of each kind
 * @param nodeCpuMilli CPU of the node with the most
 * @param nodeUnits memory units of the node with the most
 */
public record ClusterCapacity(Map<CardKind, Integer> cards, long nodeCpuMilli, long nodeUnits) {
    public ClusterCapacity {
        cards = Map.copyOf(cards);
    }

    /** The capacity of these nodes, which must be empty. */
    public static ClusterCapacity of(Collection<FreeNode> empty) {
        Map<CardKind, Integer> cards = new HashMap<>();
        long cpu = 1;
        long units = 1;
        for (FreeNode node : empty) {
            node.cards().forEach(card -> cards.merge(card.kind(), 1, Integer::sum));
            cpu = Math.max(cpu, node.cpuMilli());
            units = Math.max(units, node.units());
        }
        return new ClusterCapacity(cards, cpu, units);
    }

    /** Memory units of all cards. */
    public long units() {
        return cards.entrySet().stream()
                .mapToLong(each -> (long) each.getKey().units() * each.getValue())
                .sum();
    }

    /**
     * Memory units of the average card, by which a whole card counts before it is chosen; of the average MIG instance
     * where all cards are cut, and 1 without cards.
     */
    public double cardUnits() {
        long count = 0;
        long units = 0;
        boolean full = cards.keySet().stream().anyMatch(kind -> !kind.instance());
        for (Map.Entry<CardKind, Integer> each : cards.entrySet()) {
            if (!full || !each.getKey().instance()) {
                count += each.getValue();
                units += (long) each.getKey().units() * each.getValue();
            }
        }
        return count == 0 ? 1 : (double) units / count;
    }

    /**
     * The pod before a card is chosen for it: a percentage is of the average card, and a MIG instance is the smallest
     * that the pod may have.
     */
    public PodRequest expected(PodRequest pod) {
        int units = (int) cardUnits();
        if (pod.share().instances() > 0) {
            units = cards.keySet().stream()
                    .filter(pod::allows)
                    .mapToInt(CardKind::units)
                    .min()
                    .orElse(pod.units());
        }
        return pod.on(Share.memory(units));
    }

    /** Memory units of all cards of these models. */
    public long unitsOf(Set<String> models) {
        return cards.entrySet().stream()
                .filter(each -> models.contains(each.getKey().model()))
                .mapToLong(each -> (long) each.getKey().units() * each.getValue())
                .sum();
    }
}
