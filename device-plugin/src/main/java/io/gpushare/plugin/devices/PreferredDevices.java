package io.gpushare.plugin.devices;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.card.CardId;
import io.gpushare.model.codec.DeviceId;
import io.gpushare.plugin.snapshot.DeviceIdParser;
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
     * As many devices of that resource on the container's cards as it requests, including {@code mustInclude}.
     *
     * @return empty if too few are available: then the kubelet chooses, and its allocations may name another card
     */
    public static List<String> of(
            DeviceResource resource,
            ContainerAllocation allocation,
            Collection<String> available,
            Set<String> mustInclude) {
        Map<CardId, Integer> missing = new HashMap<>();
        allocation.shares().forEach((card, share) -> missing.put(card, resource.amount(share)));
        List<String> chosen = new ArrayList<>(mustInclude);
        for (DeviceId device : DeviceIdParser.devices(mustInclude)) {
            missing.merge(device.card(), -1, Integer::sum);
        }
        Set<String> free = new HashSet<>(available);
        free.removeAll(mustInclude);
        DeviceIdParser.devices(free).stream()
                .filter(device -> resource.amount(device.share()) > 0)
                .sorted(Comparator.comparingInt(DeviceId::number))
                .filter(device -> missing.merge(device.card(), -1, Integer::sum) >= 0)
                .map(DeviceId::toString)
                .forEach(chosen::add);
        return chosen.size() == resource.amount(allocation.total()) ? List.copyOf(chosen) : List.of();
    }
}
