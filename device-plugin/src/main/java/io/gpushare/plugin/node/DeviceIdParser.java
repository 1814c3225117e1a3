package io.gpushare.plugin.node;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Share;
import io.gpushare.model.card.CardId;
import io.gpushare.model.codec.DeviceId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Reads which cards device IDs name. */
public final class DeviceIdParser {
    private DeviceIdParser() {}

    /** The devices among these IDs that are ours. */
    public static List<DeviceId> devices(Collection<String> ids) {
        return ids.stream()
                .sorted()
                .map(id -> DeviceId.parse(id).valid().orElse(null))
                .filter(Objects::nonNull)
                .toList();
    }

    /** The shares of cards that the memory devices among them are. */
    public static Map<CardId, Share> memory(List<DeviceId> devices) {
        return shares(devices, device -> device instanceof DeviceId.MemoryUnitOf);
    }

    /** The shares of cards that the whole-card devices among them are. */
    public static Map<CardId, Share> whole(List<DeviceId> devices) {
        return shares(devices, device -> device instanceof DeviceId.WholeCard);
    }

    private static Map<CardId, Share> shares(List<DeviceId> devices, Predicate<DeviceId> kind) {
        Map<CardId, Share> shares = new TreeMap<>();
        devices.stream().filter(kind).forEach(device -> shares.merge(device.card(), device.share(), Share::plus));
        return shares;
    }

    /**
     * What a container that holds these devices has, by their IDs alone; empty when none is ours. Its role is not known
     * then: as an app it counts beside all others, so nothing that it may still hold is offered.
     */
    static Optional<ContainerAllocation> allocation(String container, Collection<String> ids) {
        List<DeviceId> devices = devices(ids);
        Map<CardId, Share> memory = memory(devices);
        Map<CardId, Share> shares = memory.isEmpty() ? whole(devices) : memory;
        return shares.isEmpty()
                ? Optional.empty()
                : Optional.of(new ContainerAllocation(container, ContainerRole.APP, shares));
    }
}
