package io.gpushare.insight.view;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.gpushare.insight.view.NodeDetails.OneCard;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The cluster, or its changes. Cards come without their pods' names, which would be most of the size:
 * {@link NodeDetails} has them for single nodes.
 *
 * @param unready why this extender does not answer kube-scheduler now; null when it does
 * @param grafana the address of Grafana, which a complete snapshot has; null for none
 * @param namespaces those that shares of cards refer to by index
 * @param models those that cards refer to by index
 * @param waiting null if it has not changed
 */
public record ClusterSnapshot(
        int version,
        String revision,
        @JsonInclude boolean full,
        @Nullable String unready,
        @Nullable URI grafana,
        int plainNodes,
        List<Node> nodes,
        List<String> gone,
        List<String> namespaces,
        List<String> models,
        @Nullable WaitingQueue waiting) {
    /** A node with cards. */
    public record Node(
            String name,
            @Nullable String unusable,
            @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean servesClaims,
            long unitMiB,
            List<Card> cards) {}

    /**
     * A card.
     *
     * @param index null if it is the card's place in the list
     * @param shares pairs of a namespace and the units that a pod of it holds
     */
    public record Card(
            @Nullable Integer index,
            int model,
            int units,
            @JsonUnwrapped CardStates states,
            List<Integer> shares) {}

    /** The snapshot with these changes. */
    public static ClusterSnapshot of(ClusterChanges changes, Optional<String> unready, @Nullable URI grafana) {
        Map<String, Integer> namespaces = new LinkedHashMap<>();
        Map<String, Integer> models = new LinkedHashMap<>();
        List<Node> nodes = new ArrayList<>();
        for (NodeDetails node : NodeDetails.of(changes.nodes(), Map.of(), Map.of())) {
            List<Card> cards = new ArrayList<>();
            for (OneCard card : node.cards()) {
                cards.add(card(card, cards.size(), namespaces, models));
            }
            nodes.add(new Node(node.name(), node.unusable(), node.servesClaims(), node.unitMiB(), cards));
        }
        return new ClusterSnapshot(
                ViewJson.VERSION,
                changes.revision(),
                changes.full(),
                unready.orElse(null),
                changes.full() ? grafana : null,
                changes.plain(),
                nodes,
                changes.gone(),
                List.copyOf(namespaces.keySet()),
                List.copyOf(models.keySet()),
                changes.waiting());
    }

    private static Card card(OneCard card, int place, Map<String, Integer> namespaces, Map<String, Integer> models) {
        return new Card(
                card.index() == place ? null : card.index(),
                number(models, card.model()),
                card.units(),
                card.states(),
                card.pods().stream()
                        .flatMap(on -> Stream.of(
                                number(namespaces, on.pod().namespace()),
                                on.share().units()))
                        .toList());
    }

    private static int number(Map<String, Integer> numbers, String text) {
        return numbers.computeIfAbsent(text, any -> numbers.size());
    }
}
