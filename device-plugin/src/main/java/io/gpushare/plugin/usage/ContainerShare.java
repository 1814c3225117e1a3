package io.gpushare.plugin.usage;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Memory;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.plugin.snapshot.NodeSnapshot;
import java.util.ArrayList;
import java.util.List;

/**
 * The share of one card that one container has.
 *
 * @param units 0 if the container has the whole card
 * @param podMemory what all containers of its pod may use there at one time
 */
public record ContainerShare(PodRef pod, String container, Card card, int units, Memory memory, Memory podMemory) {
    /** Whether the container has the whole card: then it can't exceed its share. */
    public boolean whole() {
        return units == 0;
    }

    /** The container on its card. */
    public NodeUsage.ContainerOnCard key() {
        return new NodeUsage.ContainerOnCard(pod.uid(), container, card.id());
    }

    /** The shares of all containers on the node. */
    public static List<ContainerShare> of(NodeSnapshot snapshot) {
        List<ContainerShare> all = new ArrayList<>();
        for (NodeCards.Holding holding : snapshot.allocations().assigned().holdings()) {
            for (ContainerAllocation container : holding.allocation().containers()) {
                for (CardId id : container.visibleCards()) {
                    snapshot.inventory().card(id).ifPresent(card -> all.add(of(holding, container, card)));
                }
            }
        }
        return all;
    }

    private static ContainerShare of(NodeCards.Holding holding, ContainerAllocation container, Card card) {
        int units = container.on(card.id()).units();
        Allocation allocation = holding.allocation();
        Memory own = units == 0 ? card.memory() : memory(units, allocation, card);
        Memory podMemory = units == 0
                ? card.memory()
                : memory(allocation.shareOn(card.id()).units(), allocation, card);
        return new ContainerShare(holding.holder(), container.name(), card, units, own, podMemory);
    }

    /** At most the card's memory: the unit comes from an annotation, which users can edit. */
    private static Memory memory(int units, Allocation allocation, Card card) {
        long unit = allocation.unit().size().bytes();
        return units > card.memory().bytes() / unit ? card.memory() : new Memory(units * unit);
    }
}
