package io.gpushare.insight.view;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.gpushare.extender.ledger.ClusterState.NodeView;
import io.gpushare.insight.view.NodeDetails.OneCard;
import io.gpushare.insight.waste.PodOnCard;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The response of inspect in gpushare's shape, where "GPU" counts memory units, with the total of each card; beside it
 * the fields that gpushare did not have: unit, uuid, model, health, whether the card is taken whole, and the measured
 * usage where it is known, as {@code usedBytes}. {@code usedGPU} is what is allocated, as in gpushare.
 */
public record InspectedNodes(List<Node> nodes) {
    /** A node. */
    public record Node(
            String name,
            long totalGPU,
            long usedGPU,
            String unit,
            List<Device> devs,
            @Nullable String unusable) {
        static Node of(NodeDetails node) {
            return new Node(
                    node.name(),
                    node.units(),
                    node.allocatedUnits(),
                    node.unit().toString(),
                    node.cards().stream().map(Device::of).toList(),
                    node.unusable());
        }
    }

    /**
     * A card.
     *
     * @param health the word for it, or why it is not healthy
     */
    public record Device(
            int id,
            int totalGPU,
            int usedGPU,
            @Nullable Long usedBytes,
            String uuid,
            String model,
            String health,
            boolean cordoned,
            boolean held,
            @Nullable String inUseBy,
            @Nullable String taint,
            @JsonInclude boolean whole,
            List<Pod> pods) {
        static Device of(OneCard card) {
            return new Device(
                    card.index(),
                    card.units(),
                    card.allocatedUnits(),
                    card.use().usedBytes(),
                    card.uuid(),
                    card.model(),
                    Objects.requireNonNullElse(card.states().unhealthy(), "healthy"),
                    card.states().cordoned(),
                    card.states().held(),
                    card.states().inUseBy(),
                    card.states().taint(),
                    card.states().whole(),
                    card.pods().stream().map(Pod::of).toList());
        }
    }

    /** A pod on a card. */
    public record Pod(
            String name,
            String namespace,
            int usedGPU,
            @Nullable Long usedBytes,
            @Nullable String notStarted) {
        static Pod of(PodOnCard on) {
            return new Pod(on.pod().name(), on.pod().namespace(), on.share().units(), on.usedBytes(), on.notStarted());
        }
    }

    /** The nodes without measured usage. */
    public static InspectedNodes ofLedger(List<NodeView> nodes) {
        return of(NodeDetails.of(nodes, Map.of(), Map.of()));
    }

    public static InspectedNodes of(List<NodeDetails> nodes) {
        return new InspectedNodes(nodes.stream().map(Node::of).toList());
    }
}
