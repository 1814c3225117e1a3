package io.gpushare.plugin.devices;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Share;
import io.gpushare.model.codec.DeviceId;
import io.gpushare.plugin.node.DeviceIdParser;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The devices that the kubelet should allocate, so that its device allocations name the cards that the container gets. */
public final class PreferredDevices {
    private PreferredDevices() {}

    /**
     * As many devices of the container's cards as it requests, including {@code mustInclude}.
     *
     * @return empty if too few are available: then the kubelet chooses, and its allocations may name another card
     */
    public static List<String> of(
            ContainerAllocation allocation, Collection<String> available, Set<String> mustInclude) {
        Map<CardId, Integer> missing = devicesByCard(allocation);
        List<String> chosen = new ArrayList<>(mustInclude);
        for (DeviceId device : DeviceIdParser.devices(mustInclude)) {
            missing.merge(device.card(), -1, Integer::sum);
        }
        Set<String> free = new HashSet<>(available);
        free.removeAll(mustInclude);
        boolean memory = allocation.total().wholeCards() == 0;
        DeviceIdParser.devices(free).stream()
                .filter(device -> memory == (device instanceof DeviceId.MemoryUnitOf))
                .sorted(Comparator.comparingInt(PreferredDevices::number))
                .filter(device -> missing.merge(device.card(), -1, Integer::sum) >= 0)
                .map(DeviceId::toString)
                .forEach(chosen::add);
        return chosen.size() == devices(allocation.total()) ? List.copyOf(chosen) : List.of();
    }

    private static Map<CardId, Integer> devicesByCard(ContainerAllocation allocation) {
        Map<CardId, Integer> devices = new HashMap<>();
        allocation.shares().forEach((card, share) -> devices.put(card, devices(share)));
        return devices;
    }

    private static int devices(Share share) {
        return share.wholeCards() > 0 ? share.wholeCards() : share.units();
    }

    private static int number(DeviceId device) {
        return switch (device) {
            case DeviceId.MemoryUnitOf(CardId _, int number) -> number;
            case DeviceId.WholeCard(CardId _) -> 0;
        };
    }
}
