package io.gpushare.extender.waste;

import io.gpushare.extender.ledger.Ledger.NodeView;
import java.util.List;
import java.util.Map;

/** The measured usage of cards' memory, by node, where the node's device plugin reports it. */
public interface MemoryUsage {
    /** Fetches the usage of these nodes; blocks for a few seconds at most. Nodes without a report are left out. */
    Map<String, NodeUse> of(List<NodeView> nodes);

    /** The part of a card that one pod uses. */
    record Part(String card, String namespace, String pod) {}

    /**
     * The usage of one node.
     *
     * @param cards bytes by the card's UUID, of all processes
     * @param pods bytes by pod and card
     * @param idleSeconds for how long none of the pod's containers has computed on the card, by pod and card
     */
    record NodeUse(Map<String, Long> cards, Map<Part, Long> pods, Map<Part, Long> idleSeconds) {
        public static final NodeUse UNKNOWN = new NodeUse(Map.of(), Map.of(), Map.of());

        public NodeUse {
            cards = Map.copyOf(cards);
            pods = Map.copyOf(pods);
            idleSeconds = Map.copyOf(idleSeconds);
        }
    }
}
