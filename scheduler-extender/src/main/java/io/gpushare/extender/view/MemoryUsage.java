package io.gpushare.extender.view;

import io.gpushare.extender.ledger.Ledger.NodeView;
import java.util.List;
import java.util.Map;

/** What programs really use of cards' memory, by node, as far as somebody there tells it now. */
public interface MemoryUsage {
    /** Asks about these nodes; blocks, for a few seconds at most. Nodes of which nothing is told are left out. */
    Map<String, NodeUse> of(List<NodeView> nodes);

    /** A part of a card: what one pod has of it. */
    record Part(String card, String namespace, String pod) {}

    /**
     * What is used on one node.
     *
     * @param cards bytes by the card's UUID, whoever uses them
     * @param pods bytes by pod and card
     */
    record NodeUse(Map<String, Long> cards, Map<Part, Long> pods) {
        public static final NodeUse UNKNOWN = new NodeUse(Map.of(), Map.of());

        public NodeUse {
            cards = Map.copyOf(cards);
            pods = Map.copyOf(pods);
        }
    }
}
