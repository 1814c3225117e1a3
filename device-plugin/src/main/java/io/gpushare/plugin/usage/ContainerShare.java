package io.gpushare.plugin.usage;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Memory;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.plugin.node.NodeSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * What one container was given of one card that is here.
 *
 * @param units 0 where it has the card whole
 * @param ofPod what all containers of its pod may have there at one time
 */
public record ContainerShare(PodRef pod, String container, Card card, int units, Memory memory, Memory ofPod) {
    public ContainerShare {
        Objects.requireNonNull(pod);
        Objects.requireNonNull(container);
        Objects.requireNonNull(card);
        Objects.requireNonNull(memory);
        Objects.requireNonNull(ofPod);
    }

    /** Whether it has the whole card: then it can't use more than it was given. */
    public boolean whole() {
        return units == 0;
    }

    NodeUsage.Where where() {
        return new NodeUsage.Where(pod.uid(), container, card.id());
    }

    /** Everything that containers were given on this node. */
    public static List<ContainerShare> of(NodeSnapshot picture) {
        List<ContainerShare> all = new ArrayList<>();
        for (NodeCards.Holding holding : picture.use().held().holdings()) {
            for (ContainerAllocation container : holding.allocation().containers()) {
                for (CardId id : container.visibleCards()) {
                    picture.inventory().card(id).ifPresent(card -> all.add(of(holding, container, card)));
                }
            }
        }
        return all;
    }

    private static ContainerShare of(NodeCards.Holding holding, ContainerAllocation container, Card card) {
        int units = container.on(card.id()).units();
        Allocation allocation = holding.allocation();
        Memory own = units == 0 ? card.memory() : memory(units, allocation, card);
        Memory ofPod = units == 0
                ? card.memory()
                : memory(allocation.shareOn(card.id()).units(), allocation, card);
        PodRef pod = switch (holding.holder()) {
            case PodRef ref -> ref;
        };
        return new ContainerShare(pod, container.name(), card, units, own, ofPod);
    }

    /** The unit stands in an annotation, where anybody may write a huge one: nobody has more than the card. */
    private static Memory memory(int units, Allocation allocation, Card card) {
        long unit = allocation.unit().size().bytes();
        return units > card.memory().bytes() / unit ? card.memory() : new Memory(units * unit);
    }
}
