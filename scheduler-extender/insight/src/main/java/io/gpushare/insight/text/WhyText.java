package io.gpushare.insight.text;

import io.gpushare.extender.feasibility.Reason;
import io.gpushare.insight.report.RefusedNodes;
import io.gpushare.insight.view.Phrases;
import io.gpushare.insight.view.Why;
import io.gpushare.insight.view.Why.Card;
import io.gpushare.insight.view.Why.Judged;
import io.gpushare.insight.view.Why.Node;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Why a pod waits, as text: the reasons by kind of card, what helps, and nodes with each of their cards. */
public final class WhyText {
    private WhyText() {}

    public static String of(Why why) {
        String pod = "Pod " + why.pod();
        return switch (why.state()) {
            case ENDED ->
                why.sentence() == null
                        ? pod + " has ended: it holds no card.\n"
                        : pod + " has failed: it holds no card.\n  " + why.sentence() + "\n";
            case NO_DEMAND ->
                pod + " requests no GPU memory and no card: GPU Share does not place it.\n"
                        + (why.sentence() == null ? "" : "  " + TextTable.printable(why.sentence()) + "\n");
            case INVALID -> pod + " cannot be placed as it is written.\n  " + why.sentence() + "\n";
            case BOUND ->
                pod + " is on node " + why.node() + cards(why) + ".\n"
                        + (why.sentence() == null ? "" : "  " + why.sentence() + "\n");
            case LEAVING -> pod + " leaves.\n  " + why.sentence() + "\n";
            case GATED ->
                pod + " requests " + why.demand() + ", and does not wait for a card yet.\n  " + why.sentence() + "\n";
            case JUDGED -> judged(why, Objects.requireNonNull(why.judged()));
        };
    }

    private static String cards(Why why) {
        @Nullable Set<CardId> cards = why.cards();
        if (cards == null) {
            return ", its card is unknown: it has no valid allocation annotation";
        }
        return cards.stream()
                .map(card -> why.whole().contains(card) ? card + " (whole)" : card.uuid())
                .collect(Collectors.joining(", ", cards.size() == 1 ? ", card " : ", cards ", ""));
    }

    private static String judged(Why why, Judged judged) {
        PodRef pod = why.pod();
        String nodes = Phrases.count(judged.allNodes(), "node");
        boolean feasible = judged.feasibleNodes() > 0;
        String on = judged.feasibleNodes() + " of " + nodes;
        String result = !feasible
                ? "None of " + nodes + " can take it now:\n"
                : judged.inPart()
                        ? "Enough is free on " + on
                                + ", if its claims may have it, which kube-scheduler alone can tell:\n"
                        : "By its cards it " + (judged.gang() ? "alone " : "") + "fits on " + on
                                + ". If it still waits, " + (judged.gang() ? "and not for its group, " : "")
                                + "kube-scheduler has another reason:\n";
        String further = !feasible
                ? ""
                : "  kubectl describe pod -n " + pod.namespace() + " " + pod.name() + "\n"
                        + (judged.condition().isEmpty() ? "" : "It last wrote: " + judged.condition() + "\n");
        return "Pod " + pod + " requests " + why.demand() + ".\n" + result + further + groups(judged.groups())
                + section(
                        "What helps:\n",
                        judged.advice().stream().map(each -> "- " + each).toList())
                + nodes(judged)
                + section("", judged.withoutCards());
    }

    private static String section(String title, List<String> lines) {
        return lines.isEmpty() ? "" : "\n" + title + String.join("\n", lines) + "\n";
    }

    /** The reasons with the number of nodes, each with its kinds of cards. */
    private static String groups(List<RefusedNodes> all) {
        Map<Reason, List<RefusedNodes>> byReason = all.stream()
                .collect(Collectors.groupingBy(RefusedNodes::reason, LinkedHashMap::new, Collectors.toList()));
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

    private static String nodes(Judged judged) {
        TextTable table = new TextTable().row("NODE", "CARD", "MODEL", "FREE", "");
        for (Node node : judged.nodes()) {
            for (Card card : node.cards()) {
                table.row(
                        node.name() + (node.chosen() ? "*" : ""),
                        String.valueOf(card.index()),
                        card.model(),
                        node.unit().amount(card.freeUnits()),
                        card.sentence());
            }
        }
        if (table.isEmpty()) {
            return "";
        }
        boolean chosen = judged.nodes().stream().anyMatch(Node::chosen);
        return "\n" + table + (chosen ? "* chosen by the policy " + judged.policy() + "\n" : "")
                + (judged.nodesAfter() > 0
                        ? Phrases.count(judged.nodesAfter(), "more node") + " with cards not shown, see --limit\n"
                        : "");
    }
}
