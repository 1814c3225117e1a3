package io.gpushare.plugin.devices;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.Share;
import io.gpushare.model.card.CardId;
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

/** Which of the free devices the kubelet should give out, so that its books name the cards that the container gets. */
public final class PreferredDevices {
    private PreferredDevices() {}

    /**
     * As many devices of the container's cards as it asks for, {@code mustInclude} among them.
     *
     * @return empty where that can't be had: then the kubelet chooses, and only its books name another card
     */
    public static List<String> of(ContainerAllocation gets, Collection<String> available, Set<String> mustInclude) {
        Map<CardId, Integer> wanted = wanted(gets);
        List<String> chosen = new ArrayList<>(mustInclude);
        for (DeviceId device : DeviceIdParser.devices(mustInclude)) {
            wanted.merge(device.card(), -1, Integer::sum);
        }
        Set<String> free = new HashSet<>(available);
        free.removeAll(mustInclude);
        boolean memory = gets.total().wholeCards() == 0;
        DeviceIdParser.devices(free).stream()
                .filter(device -> memory == (device instanceof DeviceId.MemoryUnitOf))
                .sorted(Comparator.comparingInt(PreferredDevices::number))
                .filter(device -> wanted.merge(device.card(), -1, Integer::sum) >= 0)
                .map(DeviceId::toString)
                .forEach(chosen::add);
        return chosen.size() == devices(gets.total()) ? List.copyOf(chosen) : List.of();
    }

    private static Map<CardId, Integer> wanted(ContainerAllocation gets) {
        Map<CardId, Integer> wanted = new HashMap<>();
        gets.shares().forEach((card, share) -> wanted.put(card, devices(share)));
        return wanted;
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
