package io.gpushare.plugin.allocate.snapshot;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Share;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.codec.DeviceId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

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

    /** Whether these may be devices of that kind; IDs of other plugins may be of any. */
    public static boolean mayBe(Collection<String> ids, ShareKind kind) {
        return devices(ids).stream().allMatch(device -> device.kind() == kind);
    }

    /** The shares of the devices that are parts of cards, by card. */
    public static Map<CardId, Share> parts(List<DeviceId> devices) {
        return shares(devices, device -> !ofWhole(device));
    }

    /** The shares of the devices that are whole cards or MIG instances, by card. */
    public static Map<CardId, Share> whole(List<DeviceId> devices) {
        return shares(devices, DeviceIdParser::ofWhole);
    }

    private static boolean ofWhole(DeviceId device) {
        return device.share().takenWhole() > 0;
    }

    private static Map<CardId, Share> shares(List<DeviceId> devices, Predicate<DeviceId> kind) {
        Map<CardId, Share> shares = new TreeMap<>();
        devices.stream().filter(kind).forEach(device -> shares.merge(device.card(), device.share(), Share::plus));
        return shares;
    }

    /**
     * The allocation of a container by its device IDs alone; empty if none of them is memory, a slot or a card of ours.
     * The
     * role is unknown, so the container counts as an app: its allocation adds to all others, and nothing that it may
     * hold is offered. Cores are of the card of the memory, whatever card their devices name: the kubelet only counts
     * them. A slot says nothing about the amount, so the container may have the whole card.
     */
    static Optional<ContainerAllocation> allocation(String container, Collection<String> ids) {
        List<DeviceId> devices = devices(ids);
        Map<CardId, Share> memory = shares(devices, device -> device.kind() == ShareKind.MEMORY);
        Share percents = devices.stream()
                .filter(device -> ShareKind.PERCENTS.contains(device.kind()))
                .map(DeviceId::share)
                .reduce(Share.NONE, Share::plus);
        // With devices of several cards it is unknown which one is the container's: no card's cores are offered again.
        memory.replaceAll((_, share) -> share.plus(percents));
        Map<CardId, Share> slots = shares(devices, device -> device.kind() == ShareKind.SLOTS);
        slots.replaceAll((_, _) -> Share.SLOTTED_CARD);
        Map<CardId, Share> cards = slots.isEmpty() ? whole(devices) : slots;
        Map<CardId, Share> shares = memory.isEmpty() ? cards : memory;
        return shares.isEmpty()
                ? Optional.empty()
                : Optional.of(new ContainerAllocation(container, ContainerRole.APP, shares));
    }
}
