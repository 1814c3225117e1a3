package io.gpushare.plugin.allocate.devices;

import io.gpushare.model.ContainerDemand;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.MigInstance;
import io.gpushare.model.card.Share;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.codec.DeviceId;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.request.ResourceNames;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A resource that the node offers to the kubelet. Every resource has a device list, a server and a socket of its own.
 *
 * @param kind the kind of share that its devices represent
 * @param profile of the MIG instances that it offers, as NVIDIA writes it in names; empty for another kind
 */
public record DeviceResource(ShareKind kind, String profile) {
    /** Units of a card's memory. */
    public static final DeviceResource MEMORY = new DeviceResource(ShareKind.MEMORY, "");

    /** Whole cards. */
    public static final DeviceResource CARDS = new DeviceResource(ShareKind.WHOLE_CARDS, "");

    /** Percents of a card's cores; not every node offers them. */
    public static final DeviceResource CORES = new DeviceResource(ShareKind.CORES, "");

    /** Slots of cards, which count neither memory nor cores; not every node offers them. */
    public static final DeviceResource SLOTS = new DeviceResource(ShareKind.SLOTS, "");

    /** The resources that a node may offer whatever its cards are. */
    public static final List<DeviceResource> STANDARD = Stream.of(ShareKind.values())
            .filter(kind -> !kind.device().isEmpty())
            .map(kind -> new DeviceResource(kind, ""))
            .toList();

    /** The MIG instances of that profile. */
    static DeviceResource instances(String profile) {
        return new DeviceResource(ShareKind.INSTANCES, MigInstance.written(profile));
    }

    /** The standard resources of a cluster with these names. */
    public static List<DeviceResource> of(ResourceNames names) {
        return STANDARD.stream()
                .filter(resource -> names.kinds().contains(resource.kind))
                .toList();
    }

    /** The resources of the MIG instances among these cards, one for each profile. */
    static Set<DeviceResource> ofInstances(Collection<Card> cards) {
        return cards.stream()
                .map(Card::profile)
                .filter(Objects::nonNull)
                .map(DeviceResource::instances)
                .collect(Collectors.toSet());
    }

    /** The file name of the resource's socket, in the kubelet's directory of device plugins. */
    public String socket() {
        return "gpushare-" + (kind == ShareKind.INSTANCES ? profile : kind.device()) + ".sock";
    }

    /** The name of the resource in the cluster. */
    public String name(ResourceNames names) {
        return kind == ShareKind.INSTANCES ? ResourceNames.INSTANCES + profile : names.of(kind);
    }

    /** The number of devices of this resource that the container requests. */
    public int amount(ContainerDemand demand) {
        return profile.isEmpty() || profile.equals(demand.profile())
                ? kind.in(demand.request().counted())
                : 0;
    }

    /** Whether that card may have devices of this resource. */
    boolean concerns(CardState card) {
        @Nullable String own = card.card().profile();
        return switch (kind) {
            case WHOLE_CARDS -> own == null;
            case INSTANCES -> own != null && MigInstance.written(own).equals(profile);
            default -> true;
        };
    }

    /** The amount of this resource in the share. */
    int amount(Share share) {
        return kind.in(share);
    }

    /** An amount of this resource, for messages. */
    public String text(int amount) {
        return amount
                + switch (kind) {
                    case MEMORY -> " units of GPU memory";
                    case WHOLE_CARDS -> " whole GPU cards";
                    case INSTANCES -> " MIG instances of profile " + profile;
                    default -> kind.percent() ? " percent of the " + kind + " of a GPU card" : " slots of GPU cards";
                };
    }

    /** Whether what is allocated on the card excludes this resource there. */
    boolean excluded(CardState card) {
        return kind.whole()
                ? card.allocated().hasPart()
                : card.takenWhole()
                        || (kind.countedAlone()
                                && card.allocated().units() >= card.capacity().units());
    }

    /** Whether pods that have that card may have devices of it, although it accepts no more. */
    boolean ofOwnPods(CardState card) {
        return kind.countedAlone() || (closed(card) && !excluded(card));
    }

    /** Whether the card accepts no new pods that request this resource, apart from what is allocated there. */
    boolean closed(CardState card) {
        return card.card().cordoned()
                || card.card().inUseBy() != null
                || (kind.part() && !card.card().sharesMemory())
                || (kind.percent() && !card.limits(kind));
    }

    /** Whether a container that has a device of a card always has that card; it may have memory of another card. */
    boolean namesItsCard() {
        return kind.whole();
    }

    /**
     * The IDs of the card's devices, in the order of the list.
     *
     * @param allocated the IDs that the kubelet has allocated: a unit that is no longer offered, because it is kept for
     *     the driver now, remains until its container has ended
     */
    List<String> ids(CardState card, Set<String> allocated) {
        CardId id = card.card().id();
        Stream<DeviceId> devices = switch (kind) {
            case MEMORY -> IntStream.range(0, card.capacity().units()).mapToObj(n -> new DeviceId.MemoryUnitOf(id, n));
            case WHOLE_CARDS, INSTANCES -> Stream.of(new DeviceId.WholeCard(id));
            default -> IntStream.range(0, kind.in(card.capacity())).mapToObj(n -> new DeviceId.PartOf(kind, id, n));
        };
        return Stream.concat(devices.map(DeviceId::toString), kept(card).filter(allocated::contains))
                .toList();
    }

    /** The devices of the memory that is kept for the driver and the isolation. */
    private Stream<String> kept(CardState card) {
        return kind != ShareKind.MEMORY
                ? Stream.of()
                : IntStream.range(card.capacity().units(), card.unitsOfAll())
                        .mapToObj(n -> new DeviceId.MemoryUnitOf(card.card().id(), n).toString());
    }

    /** How many of these devices of the card are of memory that is kept. */
    int kept(CardState card, List<String> ids) {
        return kind == ShareKind.MEMORY
                ? Math.max(0, ids.size() - card.capacity().units())
                : 0;
    }
}
