package io.gpushare.plugin.allocate.snapshot;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Share;
import io.gpushare.model.card.ShareKind;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the kubelet's checkpoint records: the answered Allocate calls of containers that have cards, by pod uid,
 * whichever plugin answered them. The plugin itself forgets its responses when it restarts.
 *
 * @param refused the containers to which gpushare's plugin answered that it has no card for them, by pod uid: they fail
 *     at every start
 * @param unnamed the uids of the pods with devices of resources that are counted, of which no response names the cards
 */
public record KubeletCheckpoint(Map<String, List<Entry>> pods, Map<String, Set<String>> refused, Set<String> unnamed) {
    public static final KubeletCheckpoint EMPTY = KubeletCheckpoint.of(List.of());

    /** A card as the response to an Allocate call names it for the container runtime. */
    public sealed interface NamedCard {
        /** By UUID, as this plugin does in variables and CDI names, and gpushare on a node with one card. */
        record ByUuid(CardId id) implements NamedCard {
            @Override
            public Optional<CardId> in(Inventory inventory) {
                return Optional.of(id);
            }
        }

        /** By NVML's index, as gpushare does: the container runtime reads a number in the variable as that. */
        record ByIndex(int index) implements NamedCard {
            @Override
            public Optional<CardId> in(Inventory inventory) {
                return first(inventory, card -> card.index() == index);
            }
        }

        /** By the minor number of its device file, which MIG instances of one card have in common. */
        record ByMinor(int minor) implements NamedCard {
            @Override
            public Optional<CardId> in(Inventory inventory) {
                return first(
                        inventory,
                        card -> card.profile() == null && Integer.valueOf(minor).equals(card.minor()));
            }
        }

        /** The card of that name on this node; empty if it has none. */
        Optional<CardId> in(Inventory inventory);

        private static Optional<CardId> first(Inventory inventory, Predicate<Card> named) {
            return inventory.cards().stream().filter(named).map(Card::id).findFirst();
        }
    }

    /**
     * One answered Allocate call.
     *
     * @param ids the devices that the kubelet allocated; they may be of other cards
     * @param cards the cards that the response names, at least one
     */
    public record Entry(String podUid, String container, String resource, Set<String> ids, List<NamedCard> cards) {
        public Entry {
            ids = Set.copyOf(ids);
            cards = List.copyOf(cards);
        }

        /** Whether this plugin answered the call, or one before it. */
        boolean ofOurDevices() {
            return !DeviceIdParser.devices(ids).isEmpty();
        }

        /** Whether the devices are percentages that are offered, and this plugin, or one before it, offered them. */
        boolean ofPercents(Share offered) {
            return ofOurDevices() && ShareKind.PERCENTS.stream().anyMatch(kind -> kind.in(offered) > 0 && mayBe(kind));
        }

        /** Whether the call may have been about devices of that kind. */
        boolean mayBe(ShareKind kind) {
            return DeviceIdParser.mayBe(ids, kind);
        }

        /**
         * The allocation of a container with this demand, of which the response names the card whatever resource the
         * call was about; empty if the call was for another amount, and while the node's inventory lacks the card of
         * which the container has a percentage.
         */
        Optional<ContainerAllocation> allocation(ContainerDemand demand, Inventory inventory) {
            Set<CardId> known =
                    cards.stream().flatMap(card -> card.in(inventory).stream()).collect(Collectors.toSet());
            Share request = demand.request();
            boolean matches = known.size() == cards.size() && ofAmount(request) && cardCount(request, known.size());
            Share each = demand.onEach(cards.size());
            Map<CardId, Share> shares =
                    known.stream().collect(Collectors.toMap(Function.identity(), card -> inventory.on(card, each)));
            return matches && shares.values().stream().allMatch(share -> share.part() == 0)
                    ? Optional.of(new ContainerAllocation(demand.name(), demand.role(), shares))
                    : Optional.empty();
        }

        private static boolean cardCount(Share request, int cards) {
            int exactly = Math.max(request.takenWhole(), request.slots());
            return exactly > 0 ? cards == exactly : request.divisibleBy(cards);
        }

        private boolean ofAmount(Share request) {
            return Stream.of(ShareKind.values())
                    .filter(this::mayBe)
                    .mapToInt(kind -> kind.in(request.counted()))
                    .anyMatch(amount -> amount > 0 && amount == ids.size());
        }
    }

    public KubeletCheckpoint {
        pods = Map.copyOf(pods);
        refused = Map.copyOf(refused);
        unnamed = Set.copyOf(unnamed);
    }

    public static KubeletCheckpoint of(Collection<Entry> entries) {
        return of(entries, Map.of(), Set.of());
    }

    public static KubeletCheckpoint of(
            Collection<Entry> entries, Map<String, Set<String>> refused, Set<String> unnamed) {
        return new KubeletCheckpoint(entries.stream().collect(Collectors.groupingBy(Entry::podUid)), refused, unnamed);
    }

    /** The containers of that pod that gpushare's plugin refused. */
    Set<String> refused(String podUid) {
        return refused.getOrDefault(podUid, Set.of());
    }

    /**
     * The uid of a pod, none of the excluded, one of whose containers has one of its devices: an ID is allocated once.
     */
    Optional<String> podUid(Map<String, Set<String>> containers, Set<String> excluded) {
        return pods.values().stream()
                .flatMap(List::stream)
                .filter(entry -> containers.getOrDefault(entry.container(), Set.of()).stream()
                        .anyMatch(entry.ids()::contains))
                .map(Entry::podUid)
                .filter(uid -> !excluded.contains(uid))
                .findFirst();
    }

    /** The devices of that pod, by container. */
    Map<String, Set<String>> devices(String podUid) {
        Map<String, Set<String>> devices = new HashMap<>();
        entries(podUid)
                .forEach(entry -> devices.computeIfAbsent(entry.container(), _ -> new HashSet<>())
                        .addAll(entry.ids()));
        return devices;
    }

    /** What the recorded responses gave to the containers of that pod that have these demands. */
    PodEvidence.Recorded evidence(String podUid, List<ContainerDemand> demands, Inventory inventory) {
        Map<String, ContainerAllocation> given = new HashMap<>();
        for (ContainerDemand demand : demands) {
            allocations(podUid, demand, inventory).forEach(cards -> given.put(demand.name(), cards));
        }
        return new PodEvidence.Recorded(entries(podUid).stream().anyMatch(Entry::ofOurDevices), given, refused(podUid));
    }

    /** What each recorded response gave to the container with this demand. */
    Stream<ContainerAllocation> allocations(String podUid, ContainerDemand demand, Inventory inventory) {
        return entries(podUid).stream()
                .filter(entry -> entry.container().equals(demand.name()))
                .flatMap(entry -> entry.allocation(demand, inventory).stream());
    }

    /** The answered calls of that pod. */
    List<Entry> entries(String podUid) {
        return pods.getOrDefault(podUid, List.of());
    }
}
