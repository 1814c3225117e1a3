package io.gpushare.extender.view.text;

import io.gpushare.extender.ledger.Ledger.NodeView;
import io.gpushare.extender.waste.CardView;
import io.gpushare.model.PodRef;
import io.gpushare.model.ledger.CardState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Nodes and cards as text in the form of gpushare's {@code kubectl inspect gpushare}: one row per node with its cards
 * and their sum, or one table per node with its pods. Notes on unusual cards follow.
 */
public final class InspectText {
    private final NodeAmounts amounts;
    private final Map<String, Long> pending;
    private final int columns;

    /**
     * Prepares the text.
     *
     * @param all nodes of the ledger; those without cards, pods on them, or a reason why they offer no cards are left
     *     out
     * @param pending units of bound pods whose card is unknown, by node
     */
    public InspectText(List<NodeView> all, Map<String, Long> pending) {
        this.pending = pending;
        amounts = new NodeAmounts(all, pending);
        columns = amounts.nodes().stream()
                .flatMap(node -> node.cards().cards().stream())
                .mapToInt(state -> state.card().index() + 1)
                .max()
                .orElse(0);
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
        head.add("GPU Memory(" + amounts.unit() + ")");
        TextTable table = new TextTable().row(head);
        for (NodeView node : amounts.nodes()) {
            List<String> row = new ArrayList<>(List.of(node.name(), NodeAmounts.address(node)));
            Map<Integer, CardState> byIndex = new HashMap<>();
            node.cards().cards().forEach(state -> byIndex.put(state.card().index(), state));
            for (int i = 0; i < columns; i++) {
                CardState state = byIndex.get(i);
                row.add(
                        state == null
                                ? "0/0"
                                : amounts.amount(node, state.occupied().units()) + "/"
                                        + amounts.amount(node, state.capacity().units()));
            }
            if (anyPending) {
                Long units = pending.get(node.name());
                row.add(units == null ? "" : String.valueOf(amounts.amount(node, units)));
            }
            row.add(amounts.allocated(node) + "/" + amounts.total(node));
            table.row(row);
        }
        return table + "-".repeat(table.width()) + "\nAllocated/Total GPU Memory In Cluster:\n" + amounts.allocated()
                + "/" + amounts.total() + " (" + NodeAmounts.part(amounts.allocated(), amounts.total()) + ")\n"
                + amounts.notes();
    }

    /** One table per node, with its pods. */
    public String details() {
        StringBuilder text = new StringBuilder();
        for (NodeView node : amounts.nodes()) {
            text.append('\n')
                    .append(new TextTable().row("NAME:", node.name()).row("IPADDRESS:", NodeAmounts.address(node)))
                    .append('\n');
            TextTable pods = pods(node);
            text.append(pods)
                    .append(new TextTable()
                            .row(
                                    "Allocated :",
                                    amounts.allocated(node) + " ("
                                            + NodeAmounts.part(amounts.allocated(node), amounts.total(node)) + ")")
                            .row("Total :", String.valueOf(amounts.total(node))))
                    .append("-".repeat(pods.width()))
                    .append('\n');
        }
        return text + "\n\nAllocated/Total GPU Memory In Cluster:  " + amounts.allocated() + "/" + amounts.total()
                + " (" + NodeAmounts.part(amounts.allocated(), amounts.total()) + ")\n" + amounts.notes();
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
                row.add(String.valueOf(amounts.amount(node, each)));
            }
            table.row(row);
        });
        return table;
    }
}
