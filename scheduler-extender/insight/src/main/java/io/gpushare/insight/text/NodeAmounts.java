package io.gpushare.insight.text;

import io.gpushare.insight.view.CardStates;
import io.gpushare.insight.view.NodeDetails;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** The amounts of nodes in one unit, and the notes on what is unusual about them. */
final class NodeAmounts {
    private final List<NodeDetails> nodes;
    private final MemoryUnit unit;

    /** Of these nodes; those without cards, pods on them, or a reason why they offer no cards are left out. */
    NodeAmounts(List<NodeDetails> all) {
        nodes = all.stream()
                .filter(node ->
                        !node.cards().isEmpty() || node.holdsPods() || node.offersNone() || node.pendingUnits() > 0)
                .toList();
        List<MemoryUnit> units = nodes.stream()
                .filter(node -> !node.cards().isEmpty())
                .map(NodeDetails::unit)
                .distinct()
                .toList();
        // Every unit is a whole number of MiB.
        unit = units.stream().allMatch(MemoryUnit.GIB::equals) ? MemoryUnit.GIB : MemoryUnit.ofMib(1);
    }

    List<NodeDetails> nodes() {
        return nodes;
    }

    /** The common unit: GiB, or MiB where nodes count in anything else, as gpushare's own table has these two. */
    String unit() {
        return unit.equals(MemoryUnit.GIB) ? "GiB" : "MiB";
    }

    /** Units of the node in the common unit. */
    long amount(NodeDetails node, long units) {
        return units * node.unitMiB() / unit.size().mib();
    }

    /** An amount in the common unit. */
    Memory memory(long amount) {
        return unit.of(amount);
    }

    long allocated(NodeDetails node) {
        return amount(node, node.allocatedUnits() + node.pendingUnits());
    }

    long total(NodeDetails node) {
        return amount(node, node.units());
    }

    long allocated() {
        return nodes.stream().mapToLong(this::allocated).sum();
    }

    long total() {
        return nodes.stream().mapToLong(this::total).sum();
    }

    /** What is allocated of all nodes, such as {@code 3/75 (4%)}. */
    String sum() {
        return allocated() + "/" + total() + " (" + part(allocated(), total()) + ")";
    }

    static String address(NodeDetails node) {
        return Objects.requireNonNullElse(node.address(), "unknown");
    }

    static String part(long of, long all) {
        return (all == 0 ? 0 : 100 * of / all) + "%";
    }

    /**
     * Unhealthy, cordoned, tainted and over-committed cards, nodes whose inventory can't be read, and pods that their
     * nodes do not start; empty if there are none.
     */
    String notes() {
        List<String> notes = nodes.stream()
                .flatMap(node -> Stream.of(
                                Stream.ofNullable(node.unusable()).map(why -> node.name() + ": " + why),
                                node.cards().stream()
                                        .flatMap(card -> notes(card.states())
                                                .map(note -> node.name() + " GPU" + card.index() + ": " + note)),
                                node.cards().stream()
                                        .flatMap(card -> card.pods().stream())
                                        .filter(on -> on.notStarted() != null)
                                        .map(on -> node.name() + ", pod " + on.pod() + ": " + on.notStarted())
                                        .distinct())
                        .flatMap(each -> each))
                .toList();
        return notes.isEmpty() ? "" : "\n" + String.join("\n", notes) + "\n";
    }

    private static Stream<String> notes(CardStates states) {
        List<String> notes = new ArrayList<>();
        if (states.unhealthy() != null) {
            notes.add("unhealthy (" + states.unhealthy() + "), accepts no new pods");
        }
        if (states.held()) {
            notes.add("held while pods are moved away, accepts no new pods");
        }
        if (states.inUseBy() != null) {
            notes.add("in use by " + states.inUseBy() + ", accepts no new pods until that ends");
        }
        if (states.taint() != null) {
            notes.add("tainted (" + states.taint() + "), accepts no new claims that do not tolerate it");
        }
        if (states.foreignBytes() != null) {
            notes.add(
                    new Memory(states.foreignBytes()).text() + " in use that is not allocated, new pods do not get it");
        }
        if (states.cordoned()) {
            notes.add("cordoned, accepts no new pods");
        }
        if (states.isolationMissing() != null) {
            notes.add((states.memoryClosed() ? "offers no memory (" : "memory is only counted (")
                    + states.isolationMissing() + ")");
        }
        if (states.overAllocated()) {
            notes.add("over-committed: more is allocated than the card has");
        }
        return notes.stream();
    }
}
