package io.gpushare.extender.view.text;

import io.gpushare.extender.ledger.Ledger.NodeView;
import io.gpushare.extender.view.Phrases;
import io.gpushare.extender.waste.MemoryUsage.NodeUse;
import io.gpushare.model.card.Health;
import io.gpushare.model.ledger.CardState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One row per node with the memory that is allocated on each of its cards, narrow also for nodes with eight cards. */
public final class NodeText {
    // In the order in which a card gets the first that applies.
    private static final Map<String, String> MARKS = new LinkedHashMap<>();

    static {
        MARKS.put("!", "unhealthy");
        MARKS.put("^", "over-committed");
        MARKS.put("~", "held");
        MARKS.put("-", "cordoned");
        MARKS.put("*", "taken whole");
    }

    private NodeText() {}

    /**
     * Writes the table.
     *
     * @param pending units of bound pods whose card is unknown, by node
     * @param usage what is measured; of use only where {@code wide}
     * @param wide with the address, the most free memory on one card, and the measured usage
     */
    public static String of(List<NodeView> nodes, Map<String, Long> pending, Map<String, NodeUse> usage, boolean wide) {
        NodeAmounts amounts = new NodeAmounts(nodes, pending);
        List<String> head = new ArrayList<>(List.of("NODE", "CARDS", "ALLOCATED"));
        if (wide) {
            head.addAll(List.of("FREE ON ONE CARD", "USED", "ADDRESS"));
        }
        head.add(amounts.unit() + " ON EACH CARD");
        TextTable table = new TextTable().row(head);
        Set<String> used = new TreeSet<>();
        for (NodeView node : amounts.nodes()) {
            List<String> row = new ArrayList<>(List.of(
                    node.name(),
                    cards(node),
                    amounts.allocated(node) + "/" + amounts.unit().amount(amounts.total(node))));
            if (wide) {
                row.addAll(List.of(free(amounts, node), used(usage.get(node.name())), NodeAmounts.address(node)));
            }
            row.add(node.cards().cards().stream()
                    .map(card -> amounts.amount(node, card.occupied().units()) + mark(card, used))
                    .collect(Collectors.joining(" ")));
            table.row(row);
        }
        return table.isEmpty()
                ? "No nodes with cards.\n"
                : table + "\n" + amounts.allocated() + " of " + amounts.unit().amount(amounts.total())
                        + " allocated (" + NodeAmounts.part(amounts.allocated(), amounts.total()) + ")" + legend(used)
                        + "\n" + amounts.notes();
    }

    /** For example {@code 8 x Tesla T4}. */
    private static String cards(NodeView node) {
        Map<String, Integer> models = new TreeMap<>();
        node.cards().cards().forEach(card -> models.merge(card.card().model(), 1, Integer::sum));
        return models.isEmpty()
                ? "none"
                : models.entrySet().stream()
                        .map(model -> model.getValue() + " x " + model.getKey())
                        .collect(Collectors.joining(", "));
    }

    private static String free(NodeAmounts amounts, NodeView node) {
        return amounts.unit()
                .amount(amounts.amount(
                        node,
                        node.cards().cards().stream()
                                .mapToLong(card -> card.free().units())
                                .max()
                                .orElse(0)));
    }

    private static String used(@Nullable NodeUse usage) {
        return usage == null || usage.cards().isEmpty()
                ? "-"
                : Phrases.size(usage.cards().values().stream()
                        .mapToLong(Long::longValue)
                        .sum());
    }

    private static String mark(CardState card, Set<String> used) {
        String mark = mark(card);
        used.add(mark);
        return mark;
    }

    private static String mark(CardState card) {
        if (card.card().health() instanceof Health.Unhealthy) {
            return "!";
        }
        if (card.overCommitted()) {
            return "^";
        }
        if (card.card().held()) {
            return "~";
        }
        return card.card().cordoned() ? "-" : card.takenWhole() ? "*" : "";
    }

    private static String legend(Set<String> used) {
        return MARKS.entrySet().stream()
                .filter(mark -> used.contains(mark.getKey()))
                .map(mark -> "   " + mark.getKey() + " " + mark.getValue())
                .collect(Collectors.joining());
    }
}
