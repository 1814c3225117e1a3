package io.gpushare.insight.text;

import io.gpushare.insight.view.NodeDetails;
import io.gpushare.insight.view.NodeDetails.OneCard;
import io.gpushare.insight.waste.PodOnCard;
import io.gpushare.model.PodRef;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongFunction;

/**
 * Nodes and cards as text in the form of gpushare's {@code kubectl inspect gpushare}: one row per node with its cards
 * and their sum, or one table per node with its pods.
 */
public final class InspectText {
    private final NodeAmounts amounts;

    /** Of these nodes; those without cards, pods on them, or a reason why they offer no cards are left out. */
    public InspectText(List<NodeDetails> all) {
        amounts = new NodeAmounts(all);
    }

    /** One row per node. */
    public String summary() {
        boolean pending = amounts.nodes().stream().anyMatch(node -> node.pendingUnits() > 0);
        int columns = amounts.nodes().stream()
                .flatMap(node -> node.cards().stream())
                .mapToInt(card -> card.index() + 1)
                .max()
                .orElse(0);
        List<String> head = new ArrayList<>(List.of("NAME", "IPADDRESS"));
        for (int i = 0; i < columns; i++) {
            head.add("GPU" + i + "(Allocated/Total)");
        }
        if (pending) {
            head.add("PENDING(Allocated)");
        }
        head.add("GPU Memory(" + amounts.unit() + ")");
        TextTable table = new TextTable().row(head);
        for (NodeDetails node : amounts.nodes()) {
            List<String> row = new ArrayList<>(List.of(node.name(), NodeAmounts.address(node)));
            List<String> cards = new ArrayList<>(Collections.nCopies(columns, "0/0"));
            for (OneCard card : node.cards()) {
                cards.set(
                        card.index(),
                        amounts.amount(node, card.allocatedUnits()) + "/" + amounts.amount(node, card.units()));
            }
            row.addAll(cards);
            if (pending) {
                long units = node.pendingUnits();
                row.add(units == 0 ? "" : String.valueOf(amounts.amount(node, units)));
            }
            row.add(amounts.allocated(node) + "/" + amounts.total(node));
            table.row(row);
        }
        return table + "-".repeat(table.width()) + "\nAllocated/Total GPU Memory In Cluster:\n" + amounts.sum() + "\n";
    }

    /**
     * One table per node, with its pods. Its amounts have no units, as in gpushare: the last line names the one of all.
     */
    public String details() {
        return tables(String::valueOf, String::valueOf, "Allocated") + "GPU Memory in " + amounts.unit() + "\n";
    }

    /** The same with a unit at each amount, and with notes on unusual cards. */
    public String detailsInGib() {
        return tables(
                        amount -> amounts.memory(amount).gib(),
                        amount -> amounts.memory(amount).gib() + " GiB",
                        "GiB")
                + amounts.notes();
    }

    /**
     * The tables of all nodes.
     *
     * @param cell an amount below a head
     * @param sum an amount beside its name
     * @param head what is written beside the name of each card
     */
    private String tables(LongFunction<String> cell, LongFunction<String> sum, String head) {
        StringBuilder text = new StringBuilder();
        for (NodeDetails node : amounts.nodes()) {
            TextTable pods = pods(node, cell, head);
            long allocated = amounts.allocated(node);
            long total = amounts.total(node);
            text.append('\n')
                    .append(new TextTable().row("NAME:", node.name()).row("IPADDRESS:", NodeAmounts.address(node)))
                    .append('\n')
                    .append(pods)
                    .append(new TextTable()
                            .row("Allocated :", sum.apply(allocated) + " (" + NodeAmounts.part(allocated, total) + ")")
                            .row("Total :", sum.apply(total)))
                    .append("-".repeat(pods.width()))
                    .append('\n');
        }
        String part = NodeAmounts.part(amounts.allocated(), amounts.total());
        return text + "\n\nAllocated/Total GPU Memory In Cluster:  " + cell.apply(amounts.allocated()) + "/"
                + sum.apply(amounts.total()) + " (" + part + ")\n";
    }

    private TextTable pods(NodeDetails node, LongFunction<String> cell, String unit) {
        List<String> head = new ArrayList<>(List.of("NAME", "NAMESPACE"));
        List<OneCard> cards = node.cards();
        cards.forEach(card -> head.add("GPU" + card.index() + "(" + unit + ")"));
        int columns = cards.size() + (node.pending().isEmpty() ? 0 : 1);
        if (columns > cards.size()) {
            head.add("Pending(" + unit + ")");
        }
        TextTable table = new TextTable().row(head);
        Map<PodRef, long[]> pods = new TreeMap<>(PodOnCard.BY_NAME);
        for (int i = 0; i < cards.size(); i++) {
            for (PodOnCard on : cards.get(i).pods()) {
                pods.computeIfAbsent(on.pod(), any -> new long[columns])[i] +=
                        on.share().units();
            }
        }
        node.pending()
                .forEach((pod, units) -> pods.computeIfAbsent(pod, any -> new long[columns])[cards.size()] = units);
        pods.forEach((pod, units) -> {
            List<String> row = new ArrayList<>(List.of(pod.name(), pod.namespace()));
            for (long each : units) {
                row.add(cell.apply(amounts.amount(node, each)));
            }
            table.row(row);
        });
        return table;
    }
}
