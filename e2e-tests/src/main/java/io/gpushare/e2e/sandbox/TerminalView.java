package io.gpushare.e2e.sandbox;

import io.gpushare.e2e.sandbox.ClusterSnapshot.Card;
import io.gpushare.e2e.sandbox.ClusterSnapshot.Placed;
import io.gpushare.simulated.client.PodDocument;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Shows the pods on each card: a redrawn screen on a terminal, otherwise one line per change. It uses plain ANSI codes.
 */
final class TerminalView {
    private static final int BAR = 24;
    private static final int NODES = SandboxNode.ALL.size();
    private static final String HOME_AND_CLEAR = "\u001b[H\u001b[J";

    private final PrintStream out;
    private final boolean terminal;
    private final InstantSource clock;
    private final Instant start;
    private final Map<String, String> printed = new HashMap<>();
    private String head = "";

    TerminalView(PrintStream out, boolean terminal, InstantSource clock) {
        this.out = out;
        this.terminal = terminal;
        this.clock = clock;
        this.start = clock.instant();
    }

    /** Sets the text above the drawing. */
    void head(String text) {
        head = text;
        if (!terminal) {
            out.print(text);
            out.flush();
        }
    }

    void line(String text) {
        out.printf("%6.1fs  %s%n", Duration.between(start, clock.instant()).toMillis() / 1000.0, text);
        out.flush();
    }

    /** @param claims the cards of the node that serves claims, as the extender shows them */
    void show(ClusterSnapshot snapshot, List<ExtenderView.Card> claims) {
        if (terminal) {
            out.print(HOME_AND_CLEAR + head + drawing(snapshot, claims));
            out.flush();
        } else {
            snapshot.pods().forEach(placed -> printChange(snapshot, placed));
        }
    }

    private void printChange(ClusterSnapshot snapshot, Placed placed) {
        String now = sentence(snapshot, placed);
        if (!now.isEmpty() && !now.equals(printed.put(placed.pod().uid(), now))) {
            line(now);
        }
    }

    private static String sentence(ClusterSnapshot snapshot, Placed placed) {
        String name = placed.pod().name();
        return switch (placed.pod().phase()) {
            case "Running" -> name + " runs on " + where(snapshot, placed);
            case "Succeeded" -> name + " ended";
            case "Failed" ->
                name + " FAILED: "
                        + placed.pod().document().path("status").path("message").asText();
            default ->
                placed.pod().waitingReason().isEmpty()
                        ? ""
                        : name + " waits: " + placed.pod().waitingReason();
        };
    }

    private static String where(ClusterSnapshot snapshot, Placed placed) {
        List<String> places = new ArrayList<>();
        for (ClusterSnapshot.Node node : snapshot.nodes()) {
            for (Card card : node.cards()) {
                if (placed.takesWhole(card.uuid())) {
                    places.add(node.name() + " card " + card.index() + " (" + card.name() + "), whole");
                } else if (placed.unitsOn(card.uuid()) > 0) {
                    places.add(node.name() + " card " + card.index() + " (" + card.name() + "), "
                            + placed.unitsOn(card.uuid()) + " of " + card.units() + " GiB");
                }
            }
        }
        return String.join("; ", places);
    }

    static String drawing(ClusterSnapshot snapshot, List<ExtenderView.Card> claims) {
        StringBuilder drawing = new StringBuilder();
        List<ClusterSnapshot.Node> nodes = snapshot.nodes();
        // By name, those that have a device plugin are the last.
        for (ClusterSnapshot.Node node : nodes.subList(Math.max(0, nodes.size() - NODES), nodes.size())) {
            drawing.append(String.format(
                    "%n%s   memory %d of %d GiB allocatable, %d of %d cards%n",
                    node.name(), node.memoryAllocatable(), node.memory(), node.cardsAllocatable(), node.fullCards()));
            node.cards().forEach(card -> drawing.append(card(snapshot, card)));
        }
        drawing.append(String.format(
                "%n%s   serves claims, memory %d of %d GiB allocated%n",
                SandboxNode.CLAIMS.name(),
                claims.stream().mapToInt(ExtenderView.Card::allocated).sum(),
                claims.stream().mapToInt(ExtenderView.Card::units).sum()));
        claims.forEach(card -> drawing.append(
                row(card.index(), card.model(), card.allocated(), card.units(), card.whole(), card.pods())));
        if (nodes.size() > NODES) {
            drawing.append("\nand ").append(nodes.size() - NODES).append(" more nodes, on the page\n");
        }
        drawing.append("\nwaiting\n");
        List<PodDocument> waiting = snapshot.pods().stream()
                .map(Placed::pod)
                .filter(pod -> !pod.waitingReason().isEmpty() && pod.node().isEmpty())
                .toList();
        int width = waiting.stream().mapToInt(pod -> pod.name().length()).max().orElse(0);
        waiting.forEach(pod -> drawing.append("  %s%s  %s%n"
                .formatted(pod.name(), " ".repeat(width - pod.name().length()), pod.waitingReason())));
        return drawing.toString();
    }

    private static String card(ClusterSnapshot snapshot, Card card) {
        List<Placed> pods = snapshot.on(card);
        boolean whole = pods.stream().anyMatch(placed -> placed.takesWhole(card.uuid()));
        int units =
                pods.stream().mapToInt(placed -> placed.unitsOn(card.uuid())).sum();
        List<String> names = pods.stream()
                .map(placed -> placed.pod().name() + (whole ? " (whole)" : " " + placed.unitsOn(card.uuid()) + " GiB"))
                .toList();
        return row(card.index(), card.name(), units, card.units(), whole, names);
    }

    private static String row(int index, String name, int allocated, int units, boolean whole, List<String> pods) {
        int filled = whole ? BAR : Math.min(BAR, Math.ceilDiv(allocated * BAR, Math.max(1, units)));
        String bar = (whole ? "#" : "=").repeat(filled) + ".".repeat(BAR - filled);
        return String.format(
                "  %d %-29s [%s] %3s/%-7s  %s%n",
                index, name, bar, whole ? "all" : Integer.toString(allocated), units + " GiB", String.join(", ", pods));
    }
}
