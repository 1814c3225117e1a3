package io.gpushare.insight.waste;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonIgnore;
import io.gpushare.extender.ledger.ClusterState.NodeView;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
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
            return CardUsage.json(CardFigure.values(), CardFigure::measure, figures);
        }
    }

    /**
     * What is measured of a pod, or of one of its containers, on one card.
     *
     * @param figures those that are known
     */
    record PodUse(@JsonIgnore Map<ContainerFigure, Long> figures) {
        public static final PodUse UNKNOWN = new PodUse(Map.of());

        public PodUse {
            figures = Map.copyOf(figures);
        }

        /** That figure; null if it is unknown. */
        public @Nullable Long figure(ContainerFigure which) {
            return figures.get(which);
        }

        /** What both use together. What is unknown of one of them is unknown. */
        public PodUse plus(PodUse other) {
            Map<ContainerFigure, Long> both = new EnumMap<>(ContainerFigure.class);
            figures.forEach((figure, value) -> {
                @Nullable Long more = other.figure(figure);
                if (more != null) {
                    both.put(figure, figure.together(value, more));
                }
            });
            return new PodUse(both);
        }

        /** The known ones, by the names that they have in JSON. */
        @JsonAnyGetter
        Map<String, Long> json() {
            return CardUsage.json(ContainerFigure.values(), ContainerFigure::measure, figures);
        }
    }

    private static <F> Map<String, Long> json(F[] all, Function<F, Measure> measure, Map<F, Long> known) {
        Map<String, Long> json = new LinkedHashMap<>();
        for (F each : all) {
            @Nullable Long value = known.get(each);
            if (value != null) {
                json.put(measure.apply(each).key(), value);
            }
        }
        return json;
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
