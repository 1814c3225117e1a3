package io.gpushare.extender.view.text;

import io.gpushare.extender.view.CardStates;
import io.gpushare.extender.view.NodeDetails;
import io.gpushare.extender.view.NodeDetails.OneCard;
import io.gpushare.extender.view.Phrases;
import io.gpushare.extender.view.PodsOnCards;
import io.gpushare.extender.view.SortBy;
import io.gpushare.extender.waste.PodOnCard;
import io.gpushare.model.card.MemoryUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** Allocation beside measured usage, as text: by card or by pod. */
public final class TopText {
    private TopText() {}

    /** One row per card. */
    public static String cards(List<NodeDetails> nodes, SortBy order) {
        TextTable table = new TextTable().row("NODE", "CARD", "MODEL", "MEMORY", "ALLOCATED", "USED", "STATE");
        for (SortBy.CardOf of : order.cards(nodes)) {
            OneCard card = of.card();
            table.row(
                    of.node().name(),
                    String.valueOf(card.index()),
                    card.model(),
                    Phrases.size(card.memoryMiB() << 20),
                    of.node().unit().amount(card.allocatedUnits()) + cores(card.allocatedCores()),
                    Phrases.sizeOrDash(card.usedBytes()),
                    state(card.states()));
        }
        String withoutCards = nodes.stream()
                .filter(node -> node.offersNone() && node.unusable() != null)
                .map(node -> node.name() + ": " + node.unusable() + "\n")
                .collect(Collectors.joining());
        return (table.isEmpty() ? "No cards.\n" : table + note(nodes))
                + (withoutCards.isEmpty() ? "" : "\n" + withoutCards);
    }

    /**
     * One row per pod and card. Where cards have isolation, with a limit.
     *
     * @param namespace of these pods; empty for all
     */
    public static String pods(List<NodeDetails> nodes, PodsOnCards pods, String namespace) {
        boolean limits = nodes.stream()
                .flatMap(node -> node.cards().stream())
                .anyMatch(card -> card.states().isolation() != null
                        && !card.states().whole()
                        && !card.pods().isEmpty());
        TextTable table =
                new TextTable().row(row(limits, "LIMIT", "NAMESPACE", "POD", "NODE", "CARD", "ALLOCATED", "USED", ""));
        Map<String, MemoryUnit> units = nodes.stream().collect(Collectors.toMap(NodeDetails::name, NodeDetails::unit));
        for (PodOnCard pod : pods.pods()) {
            table.row(row(
                    limits,
                    pod.share().whole()
                            ? "-"
                            : pod.isolation() + cores(pod.share().cores()),
                    pod.pod().namespace(),
                    pod.pod().name(),
                    pod.node(),
                    String.valueOf(pod.card()),
                    pod.share().whole()
                            ? "whole card"
                            : Objects.requireNonNull(units.get(pod.node()))
                                    .amount(pod.share().units()),
                    Phrases.sizeOrDash(pod.usedBytes()),
                    WasteText.states(pod)));
        }
        return table.isEmpty() ? none(namespace) : table + note(nodes);
    }

    /** What is shown where a namespace, or the cluster, has no pods on cards. */
    static String none(String namespace) {
        return "No pods" + (namespace.isEmpty() ? "" : " of namespace " + TextTable.printable(namespace))
                + " on cards.\n";
    }

    /** The cells, and, if there are limits, before the measured memory what holds the pod to what is allocated. */
    private static List<String> row(boolean limits, String limit, String... cells) {
        List<String> row = new ArrayList<>(List.of(cells));
        if (limits) {
            row.add(cells.length - 2, limit);
        }
        return row;
    }

    private static String note(List<NodeDetails> nodes) {
        long unknown = nodes.stream()
                .filter(node -> !node.cards().isEmpty() && !node.measured())
                .count();
        return unknown == 0 ? "" : "\nUsage is unknown on " + Phrases.count(unknown, "node") + ".\n";
    }

    private static String state(CardStates states) {
        List<String> words = new ArrayList<>();
        if (states.whole()) {
            words.add("whole");
        }
        if (states.unhealthy() != null) {
            words.add("unhealthy: " + states.unhealthy());
        }
        if (states.held()) {
            words.add("held");
        }
        if (states.cordoned()) {
            words.add("cordoned");
        }
        if (states.isolation() != null) {
            words.add("isolation " + states.isolation());
        }
        if (states.isolationMissing() != null) {
            words.add((states.memoryClosed() ? "no memory offered: " : "not isolated: ") + states.isolationMissing());
        }
        if (states.overAllocated()) {
            words.add("over-committed");
        }
        return words.isEmpty() ? "ok" : String.join(", ", words);
    }

    private static String cores(int percent) {
        return percent == 0 ? "" : ", " + percent + "% of the cores";
    }
}
