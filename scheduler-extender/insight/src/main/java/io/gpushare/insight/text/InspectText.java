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
     * One table per node, with its pods.
     *
     * @param notes whether notes on unusual cards follow, which gpushare does not have
     */
    public String details(boolean notes) {
        StringBuilder text = new StringBuilder();
        for (NodeDetails node : amounts.nodes()) {
            TextTable pods = pods(node);
            long allocated = amounts.allocated(node);
            long total = amounts.total(node);
            text.append('\n')
                    .append(new TextTable().row("NAME:", node.name()).row("IPADDRESS:", NodeAmounts.address(node)))
                    .append('\n')
                    .append(pods)
                    .append(new TextTable()
                            .row("Allocated :", allocated + " (" + NodeAmounts.part(allocated, total) + ")")
                            .row("Total :", String.valueOf(total)))
                    .append("-".repeat(pods.width()))
                    .append('\n');
        }
        return text + "\n\nAllocated/Total GPU Memory In Cluster:  " + amounts.sum() + "\n"
                + (notes ? amounts.notes() : "");
    }

    private TextTable pods(NodeDetails node) {
        List<String> head = new ArrayList<>(List.of("NAME", "NAMESPACE"));
        List<OneCard> cards = node.cards();
        cards.forEach(card -> head.add("GPU" + card.index() + "(Allocated)"));
        int columns = cards.size() + (node.pending().isEmpty() ? 0 : 1);
        if (columns > cards.size()) {
            head.add("Pending(Allocated)");
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
                row.add(String.valueOf(amounts.amount(node, each)));
            }
            table.row(row);
        });
        return table;
    }
}
