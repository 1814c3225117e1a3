package io.gpushare.insight.text;

import io.gpushare.extender.feasibility.Reason;
import io.gpushare.insight.report.Explanation;
import io.gpushare.insight.report.Explanation.Bound;
import io.gpushare.insight.report.Explanation.Ended;
import io.gpushare.insight.report.Explanation.Gated;
import io.gpushare.insight.report.Explanation.Invalid;
import io.gpushare.insight.report.Explanation.Judged;
import io.gpushare.insight.report.Explanation.Leaving;
import io.gpushare.insight.report.Explanation.NoDemand;
import io.gpushare.insight.report.Explanation.NodeVerdict;
import io.gpushare.insight.report.Phrases;
import io.gpushare.insight.report.RefusedNodes;
import io.gpushare.model.Allocation;
import io.gpushare.model.PodRef;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.ledger.CardVerdict;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Why a pod waits, as text: the reasons by kind of card, what helps, and nodes with each of their cards. */
public final class WhyText {
    private static final int MOST_WITHOUT_CARDS = 16;

    private WhyText() {}

    /**
     * The explanation as text.
     *
     * @param nodes the most nodes with cards that are shown
     */
    public static String of(Explanation why, int nodes) {
        String pod = "Pod " + why.pod();
        return switch (why) {
            case Ended(PodRef _, @Nullable String sentence) ->
                pod
                        + (sentence == null ? " has ended: it holds no card.\n" : " has failed: it holds no card.\n")
                        + indented(sentence);
            case NoDemand(PodRef _, @Nullable String sentence) ->
                pod + " requests no GPU memory and no card: GPU Share does not place it.\n"
                        + indented(sentence == null ? null : TextTable.printable(sentence));
            case Invalid(PodRef _, String sentence) ->
                pod + " cannot be placed as it is written.\n" + indented(sentence);
            case Bound bound ->
                pod + " is on node " + bound.node() + cards(bound.allocation()) + ".\n" + indented(bound.sentence());
            case Leaving(PodRef _, String sentence) -> pod + " leaves.\n" + indented(sentence);
            case Gated gated ->
                pod + " requests " + gated.requests() + ", and does not wait for a card yet.\n"
                        + indented(gated.sentence());
            case Judged judged -> judged(judged, nodes);
        };
    }

    private static String indented(@Nullable String sentence) {
        return sentence == null ? "" : "  " + sentence + "\n";
    }

    private static String cards(@Nullable Allocation held) {
        if (held == null) {
            return ", its card is unknown: it has no valid allocation annotation";
        }
        return held.cards().stream()
                .map(card -> held.shareOn(card).takenWhole() > 0 ? card + " (whole)" : card.uuid())
                .collect(Collectors.joining(", ", held.cards().size() == 1 ? ", card " : ", cards ", ""));
    }

    private static String judged(Judged judged, int most) {
        PodRef pod = judged.pod();
        String nodes = Phrases.count(judged.nodes().size(), "node");
        boolean feasible = judged.feasible() > 0;
        String on = judged.feasible() + " of " + nodes;
        String result = !feasible
                ? "None of " + nodes + " can take it now:\n"
                : judged.demand().inPart()
                        ? "Enough is free on " + on
                                + ", if its claims may have it, which kube-scheduler alone can tell:\n"
                        : "By its cards it " + (judged.gang() ? "alone " : "") + "fits on " + on
                                + ". If it still waits, " + (judged.gang() ? "and not for its group, " : "")
                                + "kube-scheduler has another reason:\n";
        String further = !feasible
                ? ""
                : "  kubectl describe pod -n " + pod.namespace() + " " + pod.name() + "\n"
                        + (judged.condition().isEmpty() ? "" : "It last wrote: " + judged.condition() + "\n");
        return "Pod " + pod + " requests " + judged.requests() + ".\n" + result + further + groups(judged.refused())
                + section(
                        "What helps:\n",
                        judged.helps().stream().map(each -> "- " + each).toList())
                + nodes(judged, most)
                + section("", withoutCards(judged));
    }

    /** What nodes report that offer no cards. */
    private static List<String> withoutCards(Judged judged) {
        return judged.nodes().stream()
                .flatMap(node -> Stream.ofNullable(node.cards().inventory().noCards())
                        .filter(none -> Reason.noCards(none.cause()).equals(node.why()))
                        .map(none -> node.node() + ": " + none.sentences()))
                .limit(MOST_WITHOUT_CARDS)
                .toList();
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

    private static String nodes(Judged judged, int most) {
        List<NodeVerdict> all = judged.nodes().stream()
                .filter(node -> !node.cards().cards().isEmpty())
                .toList();
        List<NodeVerdict> shown = all.subList(0, Math.min(most, all.size()));
        TextTable table = new TextTable().row("NODE", "CARD", "MODEL", "FREE", "");
        for (NodeVerdict node : shown) {
            for (CardVerdict card : node.eachCard()) {
                CardState state = card.state();
                table.row(
                        node.node() + (node.chosen() ? "*" : ""),
                        String.valueOf(state.card().index()),
                        state.card().model(),
                        node.cards().inventory().unit().amount(state.free().units()),
                        card.sentence());
            }
        }
        if (table.isEmpty()) {
            return "";
        }
        boolean chosen = shown.stream().anyMatch(NodeVerdict::chosen);
        int more = all.size() - shown.size();
        return "\n" + table + (chosen ? "* chosen by the policy " + judged.policy() + "\n" : "")
                + (more > 0 ? Phrases.count(more, "more node") + " with cards not shown, see --limit\n" : "");
    }
}
