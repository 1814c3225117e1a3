package io.gpushare.extender.view.text;

import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.report.CardVerdict;
import io.gpushare.extender.report.Explanation;
import io.gpushare.extender.report.Explanation.NodeVerdict;
import io.gpushare.extender.view.Phrases;
import io.gpushare.model.card.CardId;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** An explanation as text: a summary in sentences, then nodes with their cards. */
public final class WhyText {
    private WhyText() {}

    /**
     * Writes the explanation.
     *
     * @param limit the number of nodes shown
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
        for (Map.Entry<Reason, Integer> reason : Phrases.mostFirst(judged.reasons())) {
            text.append(String.format(
                    "%7d  %s%n", reason.getValue(), reason.getKey().sentence()));
        }
        if (judged.scaleUp() != null) {
            text.append(Phrases.of(judged.scaleUp())).append('\n');
        }
        return text + nodes(judged, limit) + withoutCards(judged, limit);
    }

    /** What nodes without cards report. */
    private static String withoutCards(Explanation.Judged judged, int limit) {
        String notes = judged.nodes().stream()
                .flatMap(node -> Stream.ofNullable(node.cards().inventory().noCards())
                        .map(none -> node.node() + ": " + none.sentences() + "\n"))
                .limit(limit)
                .collect(Collectors.joining());
        return notes.isEmpty() ? "" : "\n" + notes;
    }

    private static String nodes(Explanation.Judged judged, int limit) {
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
