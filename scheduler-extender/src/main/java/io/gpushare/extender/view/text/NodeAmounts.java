package io.gpushare.extender.view.text;

import io.gpushare.extender.ledger.Ledger.NodeView;
import io.gpushare.extender.view.Phrases;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.ledger.CardState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** The amounts of nodes in one unit, and the notes on what is unusual about them. */
final class NodeAmounts {
    private final List<NodeView> nodes;
    private final Map<String, Long> pending;
    private final MemoryUnit unit;

    /**
     * Prepares the amounts.
     *
     * @param all nodes of the ledger; those without cards, pods on them, or a reason why they offer no cards are left
     *     out
     * @param pending units of bound pods whose card is unknown, by node
     */
    NodeAmounts(List<NodeView> all, Map<String, Long> pending) {
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
    }

    List<NodeView> nodes() {
        return nodes;
    }

    MemoryUnit unit() {
        return unit;
    }

    /** Units of the node in the common unit. */
    long amount(NodeView node, long units) {
        MemoryUnit own = node.cards().inventory().unit();
        return own.equals(unit) ? units : units * own.size().mib() / unit.size().mib();
    }

    long allocated(NodeView node) {
        return amount(
                node,
                node.cards().cards().stream()
                                .mapToLong(state -> state.occupied().units())
                                .sum()
                        + pending.getOrDefault(node.name(), 0L));
    }

    long total(NodeView node) {
        return amount(
                node,
                node.cards().cards().stream()
                        .mapToLong(state -> state.capacity().units())
                        .sum());
    }

    long allocated() {
        return nodes.stream().mapToLong(this::allocated).sum();
    }

    long total() {
        return nodes.stream().mapToLong(this::total).sum();
    }

    static String address(NodeView node) {
        return Objects.requireNonNullElse(node.address(), "unknown");
    }

    static String part(long of, long all) {
        return (all == 0 ? 0 : 100 * of / all) + "%";
    }

    /**
     * Unhealthy, cordoned and over-committed cards, and nodes whose inventory can't be read; empty if there are none.
     */
    String notes() {
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
