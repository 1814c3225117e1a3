package io.gpushare.extender.view.text;

import io.gpushare.extender.ledger.Ledger.NodeView;
import io.gpushare.extender.view.CardView;
import io.gpushare.extender.view.MemoryUsage.NodeUse;
import io.gpushare.extender.view.MemoryUsage.Part;
import io.gpushare.extender.view.Phrases;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.ledger.CardState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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
                        size(state.card().memory().bytes()),
                        unit.amount(state.occupied().units()),
                        of(used.cards().get(state.card().id().uuid())),
                        state(state));
            }
        }
        return (table.isEmpty() ? "No cards.\n" : table + note(nodes, usage)) + withoutCards(nodes);
    }

    /** One row per pod and card; of one namespace, or of all for an empty text. */
    public static String pods(List<NodeView> nodes, Map<String, NodeUse> usage, String namespace) {
        TextTable table = new TextTable().row("NAMESPACE", "POD", "NODE", "CARD", "ALLOCATED", "USED", "");
        for (NodeView node : nodes) {
            NodeUse used = usage.getOrDefault(node.name(), NodeUse.UNKNOWN);
            MemoryUnit unit = node.cards().inventory().unit();
            for (CardView card : CardView.of(node.cards())) {
                for (CardView.Share share : card.shares()) {
                    if (namespace.isEmpty() || namespace.equals(share.pod().namespace())) {
                        String uuid = card.state().card().id().uuid();
                        @Nullable
                        Long bytes = used.pods()
                                .get(new Part(
                                        uuid,
                                        share.pod().namespace(),
                                        share.pod().name()));
                        boolean over = !share.whole()
                                && bytes != null
                                && bytes > unit.size().bytes() * share.units();
                        table.row(
                                share.pod().namespace(),
                                share.pod().name(),
                                node.name(),
                                String.valueOf(card.state().card().index()),
                                share.whole() ? "whole card" : unit.amount(share.units()),
                                of(bytes),
                                over ? "over its limit" : "");
                    }
                }
            }
        }
        return table.isEmpty() ? "No pods on cards.\n" : table + note(nodes, usage);
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

    private static String of(@Nullable Long bytes) {
        return bytes == null ? UNKNOWN : size(bytes);
    }

    private static String size(long bytes) {
        long mib = bytes >> 20;
        return mib < 1024 ? mib + " MiB" : String.format(Locale.ROOT, "%.1f GiB", mib / 1024.0);
    }
}
