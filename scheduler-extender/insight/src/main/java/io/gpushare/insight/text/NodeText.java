package io.gpushare.insight.text;

import io.gpushare.insight.report.Phrases;
import io.gpushare.insight.view.CardStates;
import io.gpushare.insight.view.NodeDetails;
import io.gpushare.insight.view.NodeDetails.OneCard;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** One row per node with the memory that is allocated on each of its cards, narrow also for nodes with eight cards. */
public final class NodeText {
    /** What a card is marked with: the first that applies. */
    private enum Mark {
        UNHEALTHY("!", "unhealthy"),
        OVER_COMMITTED("^", "over-committed"),
        HELD("~", "held"),
        IN_USE("=", "in use"),
        TAINTED("#", "tainted"),
        FOREIGN_USE("+", "used, not allocated"),
        CORDONED("-", "cordoned"),
        WHOLE("*", "taken whole");

        private final String sign;
        private final String words;

        Mark(String sign, String words) {
            this.sign = sign;
            this.words = words;
        }

        boolean applies(CardStates states) {
            return switch (this) {
                case UNHEALTHY -> states.unhealthy() != null;
                case OVER_COMMITTED -> states.overAllocated();
                case HELD -> states.held();
                case IN_USE -> states.inUseBy() != null;
                case TAINTED -> states.taint() != null;
                case FOREIGN_USE -> states.foreignBytes() != null;
                case CORDONED -> states.cordoned();
                case WHOLE -> states.whole();
            };
        }
    }

    private NodeText() {}

    /**
     * Writes the table.
     *
     * @param wide with the address, the most free memory on one card, and the measured usage
     */
    public static String of(List<NodeDetails> nodes, boolean wide) {
        NodeAmounts amounts = new NodeAmounts(nodes);
        List<String> head = new ArrayList<>(List.of("NODE", "CARDS", "ALLOCATED"));
        if (wide) {
            head.addAll(List.of("FREE ON ONE CARD", "USED", "ADDRESS"));
        }
        head.add("GiB ON EACH CARD");
        TextTable table = new TextTable().row(head);
        Set<Mark> marks = EnumSet.noneOf(Mark.class);
        for (NodeDetails node : amounts.nodes()) {
            List<String> row = new ArrayList<>(List.of(
                    node.name(),
                    models(node, wide),
                    amounts.memory(amounts.allocated(node)).of(amounts.memory(amounts.total(node)), "/")));
            if (wide) {
                row.add(node.unit().amount(node.freeOnOneCard()));
                row.add(Phrases.sizeOrDash(node.usedBytes()));
                row.add(NodeAmounts.address(node));
            }
            row.add(node.cards().stream()
                    .map(card -> node.unit().of(card.allocatedUnits()).gib() + sign(card, marks))
                    .collect(Collectors.joining(" ")));
            table.row(row);
        }
        String legend =
                marks.stream().map(mark -> "   " + mark.sign + " " + mark.words).collect(Collectors.joining());
        return table.isEmpty()
                ? "No nodes with cards.\n"
                : table + "\n" + amounts.memory(amounts.allocated()).of(amounts.memory(amounts.total()), " of ")
                        + " allocated (" + NodeAmounts.part(amounts.allocated(), amounts.total()) + ")" + legend + "\n"
                        + amounts.notes();
    }

    /** For example {@code 8 x Tesla T4}; MIG instances are counted together, unless each profile is named. */
    private static String models(NodeDetails node, boolean profiles) {
        Map<String, Integer> models = new TreeMap<>();
        node.cards()
                .forEach(card ->
                        models.merge(card.instance() ? instance(card, profiles) : card.model(), 1, Integer::sum));
        return models.isEmpty()
                ? "none"
                : models.entrySet().stream()
                        .map(model -> model.getValue() + " x " + model.getKey())
                        .collect(Collectors.joining(", ", "", node.servesClaims() ? " (by claims)" : ""));
    }

    /** For example {@code MIG 3g.40gb}: the model of the card that is cut is not repeated for each profile. */
    private static String instance(OneCard card, boolean profile) {
        int from = card.model().indexOf("MIG ");
        return profile && from >= 0 ? card.model().substring(from) : "MIG instance";
    }

    private static String sign(OneCard card, Set<Mark> marks) {
        return Stream.of(Mark.values())
                .filter(mark -> mark.applies(card.states()))
                .findFirst()
                .map(mark -> {
                    marks.add(mark);
                    return mark.sign;
                })
                .orElse("");
    }
}
