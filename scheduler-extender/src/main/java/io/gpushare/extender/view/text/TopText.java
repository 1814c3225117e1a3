package io.gpushare.extender.view.text;

import io.gpushare.extender.ledger.Ledger.NodeView;
import io.gpushare.extender.view.Phrases;
import io.gpushare.extender.view.SortBy;
import io.gpushare.extender.waste.MemoryUsage.NodeUse;
import io.gpushare.extender.waste.PodOnCard;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.ledger.CardState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Allocation beside measured usage, as text: by card or by pod. */
public final class TopText {
    private static final String UNKNOWN = "-";

    private TopText() {}

    /** One row per card. */
    public static String cards(List<NodeView> nodes, Map<String, NodeUse> usage) {
        TextTable table = new TextTable().row("NODE", "CARD", "MODEL", "MEMORY", "ALLOCATED", "USED", "STATE");
        for (NodeView node : nodes) {
            NodeUse used = usage.getOrDefault(node.name(), NodeUse.UNKNOWN);
            MemoryUnit unit = node.cards().inventory().unit();
            for (CardState state : node.cards().cards()) {
                table.row(
                        node.name(),
                        String.valueOf(state.card().index()),
                        state.card().model(),
                        Phrases.size(state.card().memory().bytes()),
                        unit.amount(state.occupied().units())
                                + cores(state.occupied().cores()),
                        of(used.cards().get(state.card().id().uuid())),
                        state(state));
            }
        }
        return (table.isEmpty() ? "No cards.\n" : table + note(nodes, usage)) + withoutCards(nodes);
    }

    /**
     * One row per pod and card; of one namespace, or of all for an empty text. Where cards have isolation, with a
     * limit.
     */
    public static String pods(List<NodeView> nodes, Map<String, NodeUse> usage, String namespace, SortBy order) {
        List<PodOnCard> pods = PodOnCard.of(nodes, usage);
        boolean limits = pods.stream().anyMatch(pod -> pod.isolation() != Isolation.NONE);
        TextTable table =
                new TextTable().row(row(limits, "LIMIT", "NAMESPACE", "POD", "NODE", "CARD", "ALLOCATED", "USED", ""));
        Map<String, MemoryUnit> units = new HashMap<>();
        nodes.forEach(node -> units.put(node.name(), node.cards().inventory().unit()));
        for (PodOnCard pod : order.pods(pods)) {
            if (namespace.isEmpty() || namespace.equals(pod.pod().namespace())) {
                table.row(row(
                        limits,
                        pod.share().whole()
                                ? UNKNOWN
                                : pod.isolation() + cores(pod.share().cores()),
                        pod.pod().namespace(),
                        pod.pod().name(),
                        pod.node(),
                        String.valueOf(pod.card()),
                        pod.share().whole()
                                ? "whole card"
                                : units.getOrDefault(pod.node(), MemoryUnit.GIB)
                                        .amount(pod.share().units()),
                        of(pod.usedBytes()),
                        WasteText.states(pod)));
            }
        }
        return table.isEmpty() ? "No pods on cards.\n" : table + note(nodes, usage);
    }

    /** The cells, and, if there are limits, before the measured memory what holds the pod to what is allocated. */
    private static List<String> row(boolean limits, String limit, String... cells) {
        List<String> row = new ArrayList<>(List.of(cells));
        if (limits) {
            row.add(cells.length - 2, limit);
        }
        return row;
    }

    /** Why nodes whose device plugin runs offer no cards. */
    private static String withoutCards(List<NodeView> nodes) {
        String notes = nodes.stream()
                .filter(node -> node.cards().inventory().noCards() != null)
                .flatMap(node -> Phrases.unusable(node).map(why -> node.name() + ": " + why + "\n").stream())
                .collect(Collectors.joining());
        return notes.isEmpty() ? "" : "\n" + notes;
    }

    private static String note(List<NodeView> nodes, Map<String, NodeUse> usage) {
        long unknown = nodes.stream()
                .filter(node -> !node.cards().cards().isEmpty() && !usage.containsKey(node.name()))
                .count();
        return unknown == 0 ? "" : "\nUsage is unknown on " + Phrases.count(unknown, "node") + ".\n";
    }

    private static String state(CardState state) {
        List<String> words = new ArrayList<>();
        if (state.takenWhole()) {
            words.add("whole");
        }
        if (state.card().health() instanceof Health.Unhealthy(String reason)) {
            words.add("unhealthy: " + reason);
        }
        if (state.card().held()) {
            words.add("held");
        }
        if (state.card().cordoned()) {
            words.add("cordoned");
        }
        if (state.card().isolation().inForce() != Isolation.NONE) {
            words.add("isolation " + state.card().isolation().inForce());
        }
        if (!state.card().isolation().missing().isEmpty()) {
            words.add((state.card().sharesMemory() ? "not isolated: " : "no memory offered: ")
                    + state.card().isolation().missing());
        }
        if (state.overCommitted()) {
            words.add("over-committed");
        }
        return words.isEmpty() ? "ok" : String.join(", ", words);
    }

    private static String cores(int percent) {
        return percent == 0 ? "" : ", " + percent + "% of the cores";
    }

    private static String of(@Nullable Long bytes) {
        return bytes == null ? UNKNOWN : Phrases.size(bytes);
    }
}
