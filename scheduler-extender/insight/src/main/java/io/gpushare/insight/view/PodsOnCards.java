package io.gpushare.insight.view;

import io.gpushare.insight.waste.PodOnCard;
import java.util.List;

/** What pods hold and use of cards, one by one. */
public record PodsOnCards(int version, List<PodOnCard> pods) {
    /**
     * The pods on these nodes, in that order.
     *
     * @param namespace of the pods; all for an empty text
     */
    public static PodsOnCards of(List<NodeDetails> nodes, String namespace, SortBy order) {
        return new PodsOnCards(
                ViewJson.VERSION,
                order.pods(nodes.stream()
                        .flatMap(node -> node.cards().stream())
                        .flatMap(card -> card.pods().stream())
                        .filter(on ->
                                namespace.isEmpty() || namespace.equals(on.pod().namespace()))
                        .toList()));
    }
}
