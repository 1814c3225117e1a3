package io.gpushare.plugin.devices;

import io.gpushare.model.ContainerDemand;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Share;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.codec.DeviceId;
import io.gpushare.model.codec.ResourceNames;
import io.gpushare.model.ledger.CardState;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A resource that the node offers to the kubelet. Every resource has a device list, a server and a socket of its own.
 */
public enum DeviceResource {
    /** Units of a card's memory. */
    MEMORY(ShareKind.MEMORY, "gpushare-mem.sock", "units of GPU memory"),
    /** Whole cards. */
    CARDS(ShareKind.WHOLE_CARDS, "gpushare-card.sock", "whole GPU cards"),
    /** Percents of a card's cores; not every node offers them. */
    CORES(ShareKind.CORES, "gpushare-core.sock", "percent of the cores of a GPU card"),
    /** Slots of cards, which count neither memory nor cores; not every node offers them. */
    SLOTS(ShareKind.SLOTS, "gpushare-slot.sock", "slots of GPU cards");

    private final ShareKind kind;
    private final String socket;
    private final String unit;

    DeviceResource(ShareKind kind, String socket, String unit) {
        this.kind = kind;
        this.socket = socket;
        this.unit = unit;
    }

    /** The resources of a cluster with these names. */
    public static List<DeviceResource> of(ResourceNames names) {
        return Stream.of(values())
                .filter(resource -> names.kinds().contains(resource.kind))
                .toList();
    }

    /** The kind of share that its devices represent. */
    public ShareKind kind() {
        return kind;
    }

    /** The file name of the resource's socket, in the kubelet's directory of device plugins. */
    public String socket() {
        return socket;
    }

    /** The name of the resource in the cluster. */
    public String name(ResourceNames names) {
        return names.of(kind);
    }

    /** The number of devices of this resource that the container requests. */
    public int amount(ContainerDemand demand) {
        return kind.in(demand.request().counted());
    }

    /** The amount of this resource in the share. */
    int amount(Share share) {
        return kind.in(share);
    }

    /** An amount of this resource, for messages. */
    public String text(int amount) {
        return amount + " " + unit;
    }

    /** Whether what is allocated on the card excludes this resource there. */
    boolean excluded(CardState card) {
        return switch (kind) {
            case MEMORY, CORES -> card.takenWhole();
            case WHOLE_CARDS -> card.allocated().hasPart();
            case SLOTS ->
                card.takenWhole() || card.allocated().units() >= card.capacity().units();
        };
    }

    /** Whether pods that have that card may have devices of it, although it accepts no more. */
    boolean ofOwnPods(CardState card) {
        return kind == ShareKind.SLOTS || (closed(card) && !excluded(card));
    }

    /** Whether the card accepts no new pods that request this resource, apart from what is allocated there. */
    boolean closed(CardState card) {
        return switch (kind) {
            case WHOLE_CARDS, SLOTS -> card.card().cordoned();
            case MEMORY -> card.card().cordoned() || !card.card().sharesMemory();
            case CORES -> card.card().cordoned() || !card.card().sharesMemory() || !card.limits(kind);
        };
    }

    /** Whether a container that has a device of a card always has that card; it may have memory of another card. */
    boolean namesItsCard() {
        return kind == ShareKind.WHOLE_CARDS;
    }

    /** The IDs of the card's devices, in the order of the list. */
    List<String> ids(CardState card) {
        CardId id = card.card().id();
        Stream<DeviceId> devices = switch (kind) {
            case MEMORY -> IntStream.range(0, card.capacity().units()).mapToObj(n -> new DeviceId.MemoryUnitOf(id, n));
            case WHOLE_CARDS -> Stream.of(new DeviceId.WholeCard(id));
            case CORES, SLOTS ->
                IntStream.range(0, kind.in(card.capacity())).mapToObj(n -> new DeviceId.PartOf(kind, id, n));
        };
        return devices.map(DeviceId::toString).toList();
    }
}
