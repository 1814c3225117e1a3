package io.gpushare.insight.waste;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonIgnore;
import io.gpushare.extender.ledger.ClusterState.NodeView;
import java.util.LinkedHashMap;
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
     * What is measured of one card.
     *
     * @param figures those that are known
     */
    record CardUse(@JsonIgnore Map<CardFigure, Long> figures) {
        public static final CardUse UNKNOWN = new CardUse(Map.of());

        public CardUse {
            figures = Map.copyOf(figures);
        }

        /** That figure; null if it is unknown. */
        public @Nullable Long figure(CardFigure which) {
            return figures.get(which);
        }

        /** Memory that all processes use; null if it is unknown. */
        @JsonIgnore
        public @Nullable Long usedBytes() {
            return figure(CardFigure.USED_BYTES);
        }

        /** The known ones, by the names that they have in JSON. */
        @JsonAnyGetter
        Map<String, Long> json() {
            Map<String, Long> json = new LinkedHashMap<>();
            for (CardFigure each : CardFigure.values()) {
                @Nullable Long value = figure(each);
                if (value != null) {
                    json.put(each.key(), value);
                }
            }
            return json;
        }
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
