package io.gpushare.e2e.chaos;

import io.gpushare.e2e.chaos.check.ClusterCards;
import io.gpushare.e2e.chaos.check.Processes;
import io.gpushare.e2e.cluster.Installation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What the simulated driver of each node says of its cards: which have failed, and which processes compute on them. */
final class CardStates {
    private final Installation installation;
    private final ClusterCards cards;
    private final List<String> nodes;
    private final List<Map<Integer, String>> failed = new ArrayList<>();
    private final List<List<String>> computing = new ArrayList<>();

    CardStates(Installation installation, ClusterCards cards, List<String> nodes) {
        this.installation = installation;
        this.cards = cards;
        this.nodes = List.copyOf(nodes);
        nodes.forEach(_ -> {
            failed.add(new HashMap<>());
            computing.add(new ArrayList<>());
        });
    }

    /**
     * Has a card fail.
     *
     * @param state in the words of the driver's file; empty for a card that works again
     */
    synchronized void fail(int node, int card, String state) {
        failed.get(node).put(card, state);
        write(node);
    }

    /** Has the driver list the process, or not. */
    synchronized void computes(int node, Processes.Running process, boolean now) {
        List<String> lines = cards.processLines(node, process.pid(), process.held());
        if (now) {
            computing.get(node).addAll(lines);
        } else {
            computing.get(node).removeAll(lines);
        }
        write(node);
    }

    private void write(int node) {
        List<String> lines = new ArrayList<>(cards.lines(node, failed.get(node)));
        lines.addAll(computing.get(node));
        installation.cards(nodes.get(node), lines);
    }
}
