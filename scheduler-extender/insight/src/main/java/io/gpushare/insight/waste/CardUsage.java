package io.gpushare.insight.waste;

import io.gpushare.extender.ledger.ClusterState.NodeView;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The measured usage of cards, by node, where the node's device plugin reports it. */
public interface CardUsage {
    /** Fetches the usage of these nodes; blocks for a few seconds at most. Nodes without a report are left out. */
    Map<String, NodeUse> of(List<NodeView> nodes);

    /** The part of a card that one pod uses. */
    record Part(String card, String namespace, String pod) {}

    /**
     * What is measured of one card. Each value is null if unknown.
     *
     * @param usedBytes memory that all processes use
     * @param utilizationPercent of the last sample period, in which the card computed
     */
    record CardUse(
            @Nullable Long usedBytes,
            @Nullable Integer utilizationPercent,
            @Nullable Integer temperatureCelsius,
            @Nullable Integer powerWatts) {
        public static final CardUse UNKNOWN = new CardUse(null, null, null, null);
    }

    /**
     * What is measured of a pod on one card. Each value is null if unknown.
     *
     * @param usedBytes memory that its processes use
     * @param utilizationPercent of the time, in which its processes compute on the card
     * @param idleSeconds for how long none of its containers has computed on the card
     */
    record PodUse(
            @Nullable Long usedBytes,
            @Nullable Integer utilizationPercent,
            @Nullable Long idleSeconds) {
        public static final PodUse UNKNOWN = new PodUse(null, null, null);
    }

    /**
     * The usage of one node.
     *
     * @param cards by the card's UUID
     * @param pods by pod and card
     */
    record NodeUse(Map<String, CardUse> cards, Map<Part, PodUse> pods) {
        public static final NodeUse UNKNOWN = new NodeUse(Map.of(), Map.of());

        public NodeUse {
            cards = Map.copyOf(cards);
            pods = Map.copyOf(pods);
        }
    }
}
