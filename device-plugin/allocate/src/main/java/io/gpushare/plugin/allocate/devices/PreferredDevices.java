package io.gpushare.plugin.allocate.devices;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.card.CardId;
import io.gpushare.model.codec.DeviceId;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.plugin.allocate.snapshot.DeviceIdParser;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The devices that the kubelet should allocate, so that its device allocations name the cards that the container gets.
 *
 * <p>Too few devices of a card are available when the kubelet does not know yet that the card was freed, or when a
 * container of another card has them. The missing devices are then those that no other container needs: of cards that
 * have more available devices than free capacity. If the kubelet chose, it would take devices of any card, the next
 * container of that card would lack them, and so on.
 */
public final class PreferredDevices {
    private PreferredDevices() {}

    /**
     * As many devices of that resource as the container requests, including {@code mustInclude}.
     *
     * @param cards the node's cards with what is allocated there
     * @return empty if too few are available
     */
    public static List<String> of(
            DeviceResource resource,
            ContainerAllocation allocation,
            NodeCards cards,
            Collection<String> available,
            Set<String> mustInclude) {
        Map<CardId, Integer> missing = new HashMap<>();
        allocation.shares().forEach((card, share) -> missing.put(card, resource.amount(share)));
        for (DeviceId device : DeviceIdParser.devices(mustInclude)) {
            missing.merge(device.card(), -1, Integer::sum);
        }
        Set<String> left = new HashSet<>(available);
        left.removeAll(mustInclude);
        List<DeviceId> own = new ArrayList<>();
        List<DeviceId> others = new ArrayList<>();
        DeviceIdParser.devices(left).stream()
                .filter(device -> resource.amount(device.share()) > 0)
                .sorted(Comparator.comparingInt(DeviceId::number))
                .forEach(device -> (missing.merge(device.card(), -1, Integer::sum) >= 0 ? own : others).add(device));
        int size = resource.amount(allocation.total());
        List<String> chosen = new ArrayList<>(mustInclude);
        Stream.concat(own.stream(), bySurplus(resource, others, cards))
                .limit(Math.max(0, size - chosen.size()))
                .map(DeviceId::toString)
                .forEach(chosen::add);
        return chosen.size() == size ? List.copyOf(chosen) : List.of();
    }

    /**
     * The devices that are not needed for their card's free capacity, and then the others of as few cards as possible.
     */
    private static Stream<DeviceId> bySurplus(DeviceResource resource, List<DeviceId> devices, NodeCards cards) {
        Map<CardId, Integer> free = new HashMap<>();
        cards.cards().forEach(card -> free.put(card.card().id(), resource.amount(card.free())));
        List<DeviceId> surplus = new ArrayList<>();
        Map<CardId, List<DeviceId>> needed = new TreeMap<>();
        for (DeviceId device : devices.reversed()) {
            List<DeviceId> ofCard = needed.computeIfAbsent(device.card(), _ -> new ArrayList<>());
            (ofCard.size() < free.getOrDefault(device.card(), 0) ? ofCard : surplus).add(device);
        }
        return Stream.concat(
                surplus.stream().sorted(Comparator.comparing(DeviceId::card)),
                needed.values().stream()
                        .sorted(Comparator.<List<DeviceId>>comparingInt(List::size)
                                .reversed())
                        .flatMap(List::stream));
    }
}
