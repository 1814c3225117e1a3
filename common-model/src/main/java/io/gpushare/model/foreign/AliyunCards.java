package io.gpushare.model.foreign;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.model.codec.Decoded;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.Optional;

/** The cards that a pod of gpushare has or may have. */
final class AliyunCards {
    private AliyunCards() {}

    /** As {@link ForeignPod#holding}. */
    static Optional<ForeignHolding> holding(AliyunPod pod, Inventory inventory) {
        List<Card> cards = possible(pod, inventory);
        if (pod.containers().isEmpty() || cards.isEmpty()) {
            return Optional.empty();
        }
        Optional<MemoryUnit> unit = unit(pod, inventory);
        // Of an unknown unit, the coarsest is assumed.
        MemoryUnit assumed = unit.orElse(coarser(inventory.unit(), MemoryUnit.GIB));
        boolean known = pod.bound() ? named(pod, inventory) && unit.isPresent() : assumed.equals(inventory.unit());
        return Optional.of(new ForeignHolding(allocation(pod, cards, assumed), cards.size() == 1 && known));
    }

    /** As {@link ForeignPod#chosen}: NVML's card of the annotated index. */
    static Decoded<Allocation> chosen(AliyunPod pod, Inventory inventory) {
        return switch (pod.index()) {
            case Decoded.Absent<Integer>() -> new Decoded.Absent<>();
            case Decoded.Malformed<Integer>(String reason) -> new Decoded.Malformed<>(reason);
            case Decoded.Valid<Integer>(Integer index) -> {
                List<Card> card = inventory.cards().stream()
                        .filter(each -> each.index() == index)
                        .toList();
                if (card.isEmpty()) {
                    yield new Decoded.Malformed<>("annotation " + AnnotationKeys.LEGACY_INDEX + " names card " + index
                            + ", which this node does not have: recreate the pod");
                }
                yield pod.containers().isEmpty()
                        ? new Decoded.Absent<>()
                        : new Decoded.Valid<>(
                                allocation(pod, card, unit(pod, inventory).orElse(inventory.unit())));
            }
        };
    }

    /** The cards of which the pod may have one. */
    private static List<Card> possible(AliyunPod pod, Inventory inventory) {
        List<Card> named = pod.index()
                .valid()
                .map(index -> inventory.cards().stream()
                        .filter(card -> card.index() == index || index.equals(card.minor()))
                        .toList())
                .orElse(List.of());
        // On a node with one card gpushare gives that card to every pod, also to one that its extender did not bind.
        return named.isEmpty() ? inventory.cards() : named;
    }

    /** Whether the annotation names a card of the node. */
    private static boolean named(AliyunPod pod, Inventory inventory) {
        return pod.index()
                .valid()
                .filter(index -> inventory.cards().stream().anyMatch(card -> card.index() == index))
                .isPresent();
    }

    /**
     * The unit in which the pod requests memory: the one in which a card of the node, or the average of its cards, has
     * as many units as gpushare wrote. gpushare counts in GiB or MiB, and its extender beside our device plugin in our
     * unit.
     */
    private static Optional<MemoryUnit> unit(AliyunPod pod, Inventory inventory) {
        return List.of(inventory.unit(), MemoryUnit.GIB, MemoryUnit.ofMib(1)).stream()
                .filter(unit -> pod.cardUnits() > 0
                        && (counted(pod, inventory, unit, Card::offeredMemory)
                                || counted(pod, inventory, unit, Card::memory)))
                .findFirst();
    }

    /** Whether a card, or the average of them, has as many units as gpushare wrote: its own plugin counts all memory. */
    private static boolean counted(
            AliyunPod pod, Inventory inventory, MemoryUnit unit, Function<Card, Memory> memory) {
        List<Integer> units =
                inventory.cards().stream().map(memory).map(unit::unitsIn).toList();
        long total = units.stream().mapToLong(Integer::longValue).sum();
        return units.contains(pod.cardUnits()) || total / units.size() == pod.cardUnits();
    }

    private static MemoryUnit coarser(MemoryUnit one, MemoryUnit other) {
        return one.size().compareTo(other.size()) > 0 ? one : other;
    }

    private static Allocation allocation(AliyunPod pod, List<Card> cards, MemoryUnit unit) {
        return new Allocation(
                unit,
                pod.containers().stream()
                        .map(container -> allocation(container, cards))
                        .toList());
    }

    private static ContainerAllocation allocation(ContainerDemand container, List<Card> cards) {
        Map<CardId, Share> shares = new LinkedHashMap<>();
        cards.forEach(card -> shares.put(card.id(), container.request()));
        return new ContainerAllocation(container.name(), container.role(), shares);
    }
}
