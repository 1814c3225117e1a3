package io.gpushare.plugin.node;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.card.CardId;
import io.gpushare.model.codec.DeviceId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Reads the cards out of device IDs. */
public final class DeviceIdParser {
    private DeviceIdParser() {}

    /** The devices of these IDs; IDs of other plugins are skipped. */
    public static List<DeviceId> devices(Collection<String> ids) {
        return ids.stream()
                .sorted()
                .map(id -> DeviceId.parse(id).valid().orElse(null))
                .filter(Objects::nonNull)
                .toList();
    }

    /** The units of the memory devices, by card. */
    public static Map<CardId, Integer> memory(List<DeviceId> devices) {
        Map<CardId, Integer> units = new TreeMap<>();
        for (DeviceId device : devices) {
            if (device instanceof DeviceId.MemoryUnitOf(CardId card, int _)) {
                units.merge(card, 1, Integer::sum);
            }
        }
        return units;
    }

    /** The cards of the whole-card devices. */
    public static List<CardId> whole(List<DeviceId> devices) {
        return devices.stream()
                .filter(device -> device instanceof DeviceId.WholeCard)
                .map(DeviceId::card)
                .collect(Collectors.toList());
    }

    /**
     * The allocation of a container by its device IDs alone; empty if none of them is ours. The role is unknown, so the
     * container counts as an app: its allocation adds to all others, and nothing that it may hold is offered.
     */
    static Optional<ContainerAllocation> allocation(String container, Collection<String> ids) {
        List<DeviceId> devices = devices(ids);
        Map<CardId, Integer> memory = memory(devices);
        List<CardId> whole = memory.isEmpty() ? whole(devices) : List.of();
        return memory.isEmpty() && whole.isEmpty()
                ? Optional.empty()
                : Optional.of(new ContainerAllocation(container, ContainerRole.APP, memory, whole));
    }
}
