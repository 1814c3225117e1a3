package io.gpushare.insight.view;

import io.gpushare.extender.ledger.ClusterState.NodeView;
import java.util.List;

/** Nodes as a response: in full, or their names. */
public record Nodes<T>(int version, List<T> nodes) {
    public static Nodes<NodeDetails> of(List<NodeDetails> nodes) {
        return new Nodes<>(ViewJson.VERSION, nodes);
    }

    /** The names of the nodes with a pod whose {@code namespace/name} contains the text. */
    public static Nodes<String> having(List<NodeView> nodes, String pod) {
        return new Nodes<>(
                ViewJson.VERSION,
                nodes.stream()
                        .filter(node -> node.cards().holdings().stream()
                                .anyMatch(holding -> holding.holder().toString().contains(pod)))
                        .map(NodeView::name)
                        .toList());
    }
}
