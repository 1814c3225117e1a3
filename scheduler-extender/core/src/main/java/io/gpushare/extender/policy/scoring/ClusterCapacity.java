package io.gpushare.extender.policy.scoring;

import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.pod.PodRequest;
import io.gpushare.model.card.CardKind;
import io.gpushare.model.card.Share;
import io.gpushare.model.ledger.CardState;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The capacity of a cluster, free or not.
 *
 * @param cards the number of cards of each kind; of those with the most cards where there are very many
 * @param nodeCpuMilli CPU of the node with the most
 * @param nodeUnits memory units of the node with the most
 */
public record ClusterCapacity(Map<CardKind, Integer> cards, long nodeCpuMilli, long nodeUnits) {
    /** More kinds than any cluster has. A policy prices cards of a further kind as those that it does not know. */
    private static final int MOST_KINDS = 128;

    public ClusterCapacity {
        cards = Map.copyOf(cards);
    }

    /** The capacity of these nodes, whether or not pods use them. */
    public static ClusterCapacity of(Collection<NodeEntry> nodes) {
        Map<CardKind, Integer> cards = new HashMap<>();
        long cpu = 1;
        long units = 1;
        for (NodeEntry node : nodes) {
            long here = 0;
            for (CardState card : node.cards().cards()) {
                here += card.kind().units();
                if (card.kind().units() > 0) {
                    cards.merge(card.kind(), 1, Integer::sum);
                }
            }
            cpu = Math.max(cpu, node.allocatable().cpuMilli());
            units = Math.max(units, here);
        }
        return new ClusterCapacity(most(cards), cpu, units);
    }

    /** The kinds of which there are the most cards. */
    private static Map<CardKind, Integer> most(Map<CardKind, Integer> cards) {
        return cards.size() <= MOST_KINDS
                ? cards
                : cards.entrySet().stream()
                        .sorted(Map.Entry.<CardKind, Integer>comparingByValue()
                                .reversed()
                                .thenComparing(each -> each.getKey().model())
                                .thenComparingInt(each -> each.getKey().units()))
                        .limit(MOST_KINDS)
                        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
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

    /** Memory units of all cards of each model. */
    public Map<String, Long> unitsByModel() {
        Map<String, Long> units = new HashMap<>();
        cards.forEach((kind, count) -> units.merge(kind.model(), (long) kind.units() * count, Long::sum));
        return units;
    }
}
