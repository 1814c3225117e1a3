package io.gpushare.extender.capacity;

import io.gpushare.extender.feasibility.CardKind;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * What a cluster has, used or not.
 *
 * @param cards how many of each kind
 * @param nodeCpuMilli cpu of the node with the most
 * @param nodeUnits units of the node with the most
 */
public record ClusterCapacity(Map<CardKind, Integer> cards, long nodeCpuMilli, long nodeUnits) {
    public ClusterCapacity {
        cards = Map.copyOf(cards);
    }

    /** Of nodes as they are when nothing runs on them. */
    public static ClusterCapacity of(Collection<FreeNode> empty) {
        Map<CardKind, Integer> cards = new HashMap<>();
        long cpu = 1;
        long units = 1;
        for (FreeNode node : empty) {
            long own = 0;
            for (FreeCard card : node.cards()) {
                cards.merge(card.kind(), 1, Integer::sum);
                own += card.kind().units();
            }
            cpu = Math.max(cpu, node.cpuMilli());
            units = Math.max(units, own);
        }
        return new ClusterCapacity(cards, cpu, units);
    }

    /** Units of all cards. */
    public long units() {
        return cards.entrySet().stream()
                .mapToLong(each -> (long) each.getKey().units() * each.getValue())
                .sum();
    }

    /** Units of the mean card: what a whole card counts before it is known which one; 1 without cards. */
    public double cardUnits() {
        long count = cards.values().stream().mapToLong(Integer::intValue).sum();
        return count == 0 ? 1 : (double) units() / count;
    }

    /** Units of all cards of these models. */
    public long unitsOf(Set<String> models) {
        return cards.entrySet().stream()
                .filter(each -> models.contains(each.getKey().model()))
                .mapToLong(each -> (long) each.getKey().units() * each.getValue())
                .sum();
    }
}
