package io.gpushare.model.foreign;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.model.codec.AnnotationLimits;
import io.gpushare.model.codec.Decoded;
import io.gpushare.model.hami.HamiAnnotations;
import io.gpushare.model.hami.HamiAnnotations.Device;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A pod as HAMi's scheduler and device plugin annotated it. It has what its annotation says: MiB rounded up to units,
 * cores, and one slot of each card, or the whole card.
 *
 * @param devices by container, with those that have none; absent if HAMi did not bind the pod to this node
 * @param phase {@value HamiAnnotations#PHASE}; empty if absent
 * @param containers the containers that request slots
 */
public record HamiPod(Decoded<List<List<Device>>> devices, String phase, List<ContainerDemand> containers)
        implements ForeignPod {
    private static final MemoryUnit MIB = MemoryUnit.ofMib(1);

    public HamiPod {
        containers = List.copyOf(containers);
    }

    /** Reads the annotations of a pod on that node with these containers. */
    public static HamiPod of(Map<String, String> annotations, String node, List<ContainerDemand> slotted) {
        boolean bound = node.equals(annotations.get(HamiAnnotations.NODE))
                // This project writes HAMi's annotations as well.
                && !annotations.containsKey(AnnotationKeys.ALLOCATION);
        return new HamiPod(
                bound ? devices(annotations) : new Decoded.Absent<>(),
                annotations.getOrDefault(HamiAnnotations.PHASE, ""),
                slotted);
    }

    private static Decoded<List<List<Device>>> devices(Map<String, String> annotations) {
        @Nullable String written = annotations.get(HamiAnnotations.DEVICES);
        if (written == null) {
            return new Decoded.Absent<>();
        }
        Optional<String> tooLong = AnnotationLimits.WRITTEN.tooLong(annotations, List.of(HamiAnnotations.DEVICES));
        try {
            return tooLong.<Decoded<List<List<Device>>>>map(Decoded.Malformed::new)
                    .orElseGet(() -> new Decoded.Valid<>(HamiAnnotations.parse(written)));
        } catch (IllegalArgumentException e) {
            return new Decoded.Malformed<>(sentence(e));
        }
    }

    private static String sentence(IllegalArgumentException e) {
        return "annotation " + HamiAnnotations.DEVICES + ": " + e.getMessage();
    }

    @Override
    public boolean bound() {
        return !(devices instanceof Decoded.Absent);
    }

    @Override
    public boolean assigned() {
        return phase.equals(HamiAnnotations.SUCCESS);
    }

    /** Without HAMi's node lock, its plugin takes a pod of the node in this phase for the one of the call. */
    @Override
    public Map<String, String> withdrawal() {
        return bound() && phase.equals(HamiAnnotations.ALLOCATING)
                ? Map.of(HamiAnnotations.PHASE, HamiAnnotations.FAILED)
                : Map.of();
    }

    @Override
    public Decoded<Allocation> chosen(Inventory inventory) {
        Decoded<Allocation> annotated = annotated(inventory);
        return annotated.valid().stream()
                .flatMap(allocation -> allocation.cards().stream())
                .filter(card -> inventory.card(card).isEmpty())
                .findFirst()
                .<Decoded<Allocation>>map(card -> new Decoded.Malformed<>("annotation " + HamiAnnotations.DEVICES
                        + " names card " + card + ", which this node does not have: recreate the pod"))
                .orElse(annotated);
    }

    @Override
    public Optional<ForeignHolding> holding(Inventory inventory) {
        if (containers.isEmpty() || inventory.cards().isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(annotated(inventory)
                .valid()
                .map(allocation -> new ForeignHolding(allocation, true))
                .orElseGet(() -> new ForeignHolding(onEveryCard(inventory), false)));
    }

    /** What the annotation says, if it gives each container as many cards as it requests, and as much of each. */
    private Decoded<Allocation> annotated(Inventory inventory) {
        return switch (devices) {
            case Decoded.Absent<List<List<Device>>>() -> new Decoded.Absent<>();
            case Decoded.Malformed<List<List<Device>>>(String reason) -> new Decoded.Malformed<>(reason);
            case Decoded.Valid<List<List<Device>>>(List<List<Device>> all) -> {
                try {
                    yield new Decoded.Valid<>(allocation(
                            all.stream().filter(each -> !each.isEmpty()).toList(), inventory));
                } catch (IllegalArgumentException e) {
                    yield new Decoded.Malformed<>(sentence(e));
                }
            }
        };
    }

    private Allocation allocation(List<List<Device>> given, Inventory inventory) {
        if (given.size() != containers.size()) {
            throw new IllegalArgumentException(
                    "it gives cards to " + given.size() + " containers, and " + containers.size() + " request some");
        }
        List<ContainerAllocation> allocations = new ArrayList<>();
        for (int i = 0; i < given.size(); i++) {
            allocations.add(allocation(containers.get(i), given.get(i), inventory));
        }
        return new Allocation(inventory.unit(), allocations);
    }

    private static ContainerAllocation allocation(
            ContainerDemand container, List<Device> devices, Inventory inventory) {
        int requested = container.request().slots();
        Map<CardId, Share> shares = new LinkedHashMap<>();
        devices.forEach(device -> shares.put(device.card(), share(device, container, inventory)));
        if (shares.size() != requested || devices.size() != requested) {
            throw new IllegalArgumentException("container '" + container.name() + "' requests " + requested
                    + " cards, and has " + devices.size() + ", or one of them twice");
        }
        return new ContainerAllocation(container.name(), container.role(), shares);
    }

    private static Share share(Device device, ContainerDemand container, Inventory inventory) {
        Optional<Card> card = inventory.card(device.card());
        boolean all = card.filter(known -> known.hasMemory()
                        && device.mib() >= known.offeredMemory().mib())
                .isPresent();
        if (all || device.cores() >= ShareKind.ALL) {
            return Share.SLOTTED_CARD;
        }
        Share has = Share.memory(inventory.unit().unitsCovering(device.mib(), MIB))
                .plus(Share.cores(device.cores()))
                .plus(Share.slots(1));
        Share least = least(container, card.map(inventory::capacityOf));
        if (has.units() == 0 || !least.fits(has)) {
            throw new IllegalArgumentException("container '" + container.name() + "' has " + device.mib() + " MiB and "
                    + device.cores() + " % of the cores of card " + device.card() + ", less than it requests");
        }
        // The rest of a card's memory is no whole unit.
        return card.map(known -> has.withUnits(Math.min(
                        has.units(), Math.max(1, inventory.capacityOf(known).units()))))
                .orElse(has);
    }

    /** What the container requests of each card. Of whole cards it may have less: HAMi has other defaults then. */
    private static Share least(ContainerDemand container, Optional<Share> capacity) {
        Share each = container.onEach(container.request().slots());
        return each.wholeCards() > 0 ? Share.NONE : capacity.map(each::on).orElse(each.without(ShareKind::fraction));
    }

    private Allocation onEveryCard(Inventory inventory) {
        return new Allocation(
                inventory.unit(),
                containers.stream()
                        .map(container -> {
                            Map<CardId, Share> shares = new LinkedHashMap<>();
                            Share each = container.onEach(container.request().slots());
                            inventory
                                    .cards()
                                    .forEach(card -> shares.put(card.id(), each.on(inventory.capacityOf(card))));
                            return new ContainerAllocation(container.name(), container.role(), shares);
                        })
                        .toList());
    }
}
