package io.gpushare.extender.view;

import io.gpushare.extender.ledger.Ledger.NodeView;
import java.util.List;

/** Names of nodes. */
public record NodeNames(int version, List<String> nodes) {
    /** The nodes with a pod whose {@code namespace/name} contains the text. */
    public static NodeNames having(List<NodeView> nodes, String pod) {
        return new NodeNames(
                ViewJson.VERSION,
                nodes.stream()
                        .filter(node -> node.cards().holdings().stream()
                                .anyMatch(holding -> holding.holder().toString().contains(pod)))
                        .map(NodeView::name)
                        .toList());
    }
}
