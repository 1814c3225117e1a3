package io.gpushare.extender.view.text;

import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.report.CardVerdict;
import io.gpushare.extender.report.Explanation;
import io.gpushare.extender.report.Explanation.NodeVerdict;
import io.gpushare.extender.report.RefusedNodes;
import io.gpushare.extender.view.Phrases;
import io.gpushare.model.card.CardId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** An explanation as text: the reasons by kind of card, what helps, and nodes with each of their cards. */
public final class WhyText {
    private static final int WITHOUT_CARDS = 10;

    private WhyText() {}

    /**
     * Writes the explanation.
     *
     * @param limit the number of nodes shown with each of their cards
     */
    public static String of(Explanation explanation, int limit) {
        String pod = "Pod " + explanation.pod();
        return switch (explanation) {
            case Explanation.Ended ended -> pod + " has ended: it holds no card.\n";
            case Explanation.NoDemand none ->
                pod + " requests no GPU memory and no card: GPU Share does not place it.\n";
            case Explanation.Invalid(var ref, String sentence) ->
                pod + " cannot be placed: invalid annotation.\n  " + sentence + "\n";
            case Explanation.Bound bound -> pod + " is on node " + bound.node() + cards(bound) + ".\n";
            case Explanation.Judged judged -> judged(pod, judged, limit);
        };
    }

    private static String cards(Explanation.Bound bound) {
        if (bound.allocation() == null) {
            return ", its card is unknown: it has no valid allocation annotation";
        }
        Set<String> cards = new LinkedHashSet<>();
        for (CardId card : bound.allocation().cards()) {
            boolean whole = bound.allocation().shareOn(card).wholeCards() > 0;
            cards.add(whole ? card.uuid() + " (whole)" : card.uuid());
        }
        return ", card " + String.join(", ", cards);
    }

    private static String judged(String pod, Explanation.Judged judged, int limit) {
        StringBuilder text = new StringBuilder(pod + " requests " + Phrases.of(judged.demand()) + ".\n");
        int nodes = judged.nodes().size();
        if (judged.feasible() > 0) {
            text.append("By its cards it fits on ")
                    .append(judged.feasible())
                    .append(" of ")
                    .append(Phrases.count(nodes, "node"))
                    .append(". If it still waits, kube-scheduler has another reason:\n")
                    .append("  kubectl describe pod -n ")
                    .append(judged.pod().namespace())
                    .append(' ')
                    .append(judged.pod().name())
                    .append('\n');
        } else {
            text.append("None of ").append(Phrases.count(nodes, "node")).append(" can take it now:\n");
        }
        return text + refused(judged) + advice(judged) + nodes(judged, limit) + withoutCards(judged);
    }

    /** The reasons with the number of nodes, each with its kinds of cards. */
    private static String refused(Explanation.Judged judged) {
        Map<Reason, List<RefusedNodes>> byReason = new LinkedHashMap<>();
        judged.refused()
                .forEach(group -> byReason.computeIfAbsent(group.reason(), any -> new ArrayList<>())
                        .add(group));
        StringBuilder text = new StringBuilder();
        byReason.forEach((reason, groups) -> {
            int nodes = groups.stream().mapToInt(RefusedNodes::nodes).sum();
            text.append(String.format("%7d  %s%n", nodes, reason.sentence()));
            for (RefusedNodes group : groups) {
                if (!group.model().isEmpty()) {
                    text.append("         ")
                            .append(Phrases.count(group.nodes(), "node"))
                            .append(" with ")
                            .append(TextTable.printable(group.model() + ": " + group.detail()))
                            .append('\n');
                }
            }
        });
        return text.toString();
    }

    private static String advice(Explanation.Judged judged) {
        List<String> advice = new ArrayList<>(judged.advice());
        if (judged.scaleUp() != null) {
            advice.add(Phrases.of(judged.scaleUp()));
        }
        return advice.isEmpty()
                ? ""
                : "\nWhat helps:\n"
                        + advice.stream().map(each -> "- " + each + "\n").collect(Collectors.joining());
    }

    /** What nodes without cards report. */
    private static String withoutCards(Explanation.Judged judged) {
        String notes = judged.nodes().stream()
                .flatMap(node -> Stream.ofNullable(node.cards().inventory().noCards())
                        .map(none -> node.node() + ": " + none.sentences() + "\n"))
                .limit(WITHOUT_CARDS)
                .collect(Collectors.joining());
        return notes.isEmpty() ? "" : "\n" + notes;
    }

    private static String nodes(Explanation.Judged judged, int limit) {
        if (limit == 0) {
            return "";
        }
        List<NodeVerdict> all = judged.nodes().stream()
                .filter(node -> !node.cards().cards().isEmpty())
                .toList();
        List<NodeVerdict> shown = all.subList(0, Math.min(limit, all.size()));
        TextTable table = new TextTable().row("NODE", "CARD", "MODEL", "FREE", "");
        for (NodeVerdict node : shown) {
            var unit = node.cards().inventory().unit();
            for (CardVerdict card : node.eachCard()) {
                table.row(
                        node.node() + (node.chosen() ? "*" : ""),
                        String.valueOf(card.state().card().index()),
                        card.state().card().model(),
                        unit.amount(card.state().free().units()),
                        card.sentence());
            }
        }
        if (table.isEmpty()) {
            return "";
        }
        int more = all.size() - shown.size();
        boolean chosen = shown.stream().anyMatch(NodeVerdict::chosen);
        return "\n" + table + (chosen ? "* chosen by the policy " + judged.policy() + "\n" : "")
                + (more > 0 ? Phrases.count(more, "more node") + " with cards not shown, see --limit\n" : "");
    }
}
