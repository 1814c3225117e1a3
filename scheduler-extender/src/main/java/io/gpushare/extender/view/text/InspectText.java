package io.gpushare.extender.view.text;

import io.gpushare.extender.ledger.Ledger.NodeView;
import io.gpushare.extender.view.CardView;
import io.gpushare.extender.view.Phrases;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.ledger.CardState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Nodes and cards as text in the form of gpushare's {@code kubectl inspect gpushare}: one row per node with its cards and
 * their sum, or one table per node with its pods. Notes on unusual cards follow.
 */
public final class InspectText {
    private final List<NodeView> nodes;
    private final Map<String, Long> pending;
    private final MemoryUnit unit;
    private final int columns;

    /**
     * Prepares the text.
     *
     * @param all nodes of the ledger; those without cards, pods on them, or a reason why they offer no cards are left out
     * @param pending units of bound pods whose card is unknown, by node
     */
    public InspectText(List<NodeView> all, Map<String, Long> pending) {
        this.pending = pending;
        nodes = all.stream()
                .filter(node -> !node.cards().cards().isEmpty()
                        || !node.cards().holdings().isEmpty()
                        || node.cards().inventory().noCards() != null
                        || pending.containsKey(node.name()))
                .toList();
        List<MemoryUnit> units = nodes.stream()
                .filter(node -> !node.cards().cards().isEmpty())
                .map(node -> node.cards().inventory().unit())
                .distinct()
                .toList();
        // Every unit is a whole number of MiB, which is the common unit of nodes that count differently.
        unit = units.isEmpty()
                ? MemoryUnit.GIB
                : units.size() == 1 ? units.getFirst() : new MemoryUnit(Memory.ofMib(1));
        columns = nodes.stream()
                .flatMap(node -> node.cards().cards().stream())
                .mapToInt(state -> state.card().index() + 1)
                .max()
                .orElse(0);
    }

    private long amount(NodeView node, long units) {
        MemoryUnit own = node.cards().inventory().unit();
        return own.equals(unit) ? units : units * own.size().mib() / unit.size().mib();
    }

    private long allocated(NodeView node) {
        return amount(
                node,
                node.cards().cards().stream()
                                .mapToLong(state -> state.occupied().units())
                                .sum()
                        + pending.getOrDefault(node.name(), 0L));
    }

    private long total(NodeView node) {
        return amount(
                node,
                node.cards().cards().stream()
                        .mapToLong(state -> state.capacity().units())
                        .sum());
    }

    private long allocated() {
        return nodes.stream().mapToLong(this::allocated).sum();
    }

    private long total() {
        return nodes.stream().mapToLong(this::total).sum();
    }

    private static String address(NodeView node) {
        return Objects.requireNonNullElse(node.address(), "unknown");
    }

    private static String part(long of, long all) {
        return (all == 0 ? 0 : 100 * of / all) + "%";
    }

    /** One row per node. */
    public String summary() {
        boolean anyPending = !pending.isEmpty();
        List<String> head = new ArrayList<>(List.of("NAME", "IPADDRESS"));
        for (int i = 0; i < columns; i++) {
            head.add("GPU" + i + "(Allocated/Total)");
        }
        if (anyPending) {
            head.add("PENDING(Allocated)");
        }
        head.add("GPU Memory(" + unit + ")");
        TextTable table = new TextTable().row(head);
        for (NodeView node : nodes) {
            List<String> row = new ArrayList<>(List.of(node.name(), address(node)));
            Map<Integer, CardState> byIndex = new HashMap<>();
            node.cards().cards().forEach(state -> byIndex.put(state.card().index(), state));
            for (int i = 0; i < columns; i++) {
                CardState state = byIndex.get(i);
                row.add(
                        state == null
                                ? "0/0"
                                : amount(node, state.occupied().units()) + "/"
                                        + amount(node, state.capacity().units()));
            }
            if (anyPending) {
                Long units = pending.get(node.name());
                row.add(units == null ? "" : String.valueOf(amount(node, units)));
            }
            row.add(allocated(node) + "/" + total(node));
            table.row(row);
        }
        return table + "-".repeat(table.width()) + "\nAllocated/Total GPU Memory In Cluster:\n" + allocated() + "/"
                + total() + " (" + part(allocated(), total()) + ")\n" + notes();
    }

    /** One table per node, with its pods. */
    public String details() {
        StringBuilder text = new StringBuilder();
        for (NodeView node : nodes) {
            text.append('\n')
                    .append(new TextTable().row("NAME:", node.name()).row("IPADDRESS:", address(node)))
                    .append('\n');
            TextTable pods = pods(node);
            text.append(pods)
                    .append(new TextTable()
                            .row("Allocated :", allocated(node) + " (" + part(allocated(node), total(node)) + ")")
                            .row("Total :", String.valueOf(total(node))))
                    .append("-".repeat(pods.width()))
                    .append('\n');
        }
        return text + "\n\nAllocated/Total GPU Memory In Cluster:  " + allocated() + "/" + total() + " ("
                + part(allocated(), total()) + ")\n" + notes();
    }

    private TextTable pods(NodeView node) {
        List<String> head = new ArrayList<>(List.of("NAME", "NAMESPACE"));
        List<CardView> cards = CardView.of(node.cards());
        cards.forEach(card -> head.add("GPU" + card.state().card().index() + "(Allocated)"));
        TextTable table = new TextTable().row(head);
        Map<PodRef, long[]> pods = new TreeMap<>(CardView.BY_NAME);
        for (int i = 0; i < cards.size(); i++) {
            for (CardView.Share share : cards.get(i).shares()) {
                pods.computeIfAbsent(share.pod(), any -> new long[cards.size()])[i] += share.units();
            }
        }
        pods.forEach((pod, units) -> {
            List<String> row = new ArrayList<>(List.of(pod.name(), pod.namespace()));
            for (long each : units) {
                row.add(String.valueOf(amount(node, each)));
            }
            table.row(row);
        });
        return table;
    }

    /** Unhealthy, cordoned and over-committed cards, and nodes whose inventory can't be read; empty if there are none. */
    private String notes() {
        List<String> notes = nodes.stream()
                .flatMap(node -> Stream.concat(
                        Phrases.unusable(node).map(why -> node.name() + ": " + why).stream(),
                        node.cards().cards().stream().flatMap(state -> notes(node, state))))
                .toList();
        return notes.isEmpty() ? "" : "\n" + String.join("\n", notes) + "\n";
    }

    private static Stream<String> notes(NodeView node, CardState state) {
        String card = node.name() + " GPU" + state.card().index() + ": ";
        List<String> notes = new ArrayList<>();
        if (state.card().health() instanceof Health.Unhealthy(String reason)) {
            notes.add(card + "unhealthy (" + reason + "), accepts no new pods");
        }
        if (state.card().held()) {
            notes.add(card + "held while pods are moved away, accepts no new pods");
        }
        if (state.card().cordoned()) {
            notes.add(card + "cordoned, accepts no new pods");
        }
        if (!state.card().isolation().missing().isEmpty()) {
            notes.add(card + (state.card().sharesMemory() ? "memory is only counted (" : "offers no memory (")
                    + state.card().isolation().missing() + ")");
        }
        if (state.overCommitted()) {
            notes.add(card + "over-committed: more is allocated than the card has");
        }
        return notes.stream();
    }
}
