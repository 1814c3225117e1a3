package io.gpushare.plugin.snapshot;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Share;
import io.gpushare.model.card.ShareKind;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the kubelet's checkpoint records: the answered Allocate calls of containers that have cards, by pod uid, whichever
 * plugin answered them. The plugin itself forgets its responses when it restarts.
 */
public record KubeletCheckpoint(Map<String, List<Entry>> pods) {
    public static final KubeletCheckpoint EMPTY = new KubeletCheckpoint(Map.of());

    /**
     * One answered Allocate call.
     *
     * @param ids the devices that the kubelet allocated; they may be of other cards
     * @param cards the cards that the response names, at least one
     */
    public record Entry(String podUid, String container, String resource, Set<String> ids, List<NamedCard> cards) {
        public Entry {
            Objects.requireNonNull(podUid);
            Objects.requireNonNull(container);
            Objects.requireNonNull(resource);
            ids = Set.copyOf(ids);
            cards = List.copyOf(cards);
        }

        /** Whether this plugin answered the call, or one before it. */
        boolean ofOurDevices() {
            return !DeviceIdParser.devices(ids).isEmpty();
        }

        /** Whether the devices are cores that this plugin, or one before it, offered. */
        boolean ofCores() {
            return ofOurDevices() && mayBe(ShareKind.CORES);
        }

        /** Whether the call may have been about devices of that kind. */
        boolean mayBe(ShareKind kind) {
            return DeviceIdParser.mayBe(ids, kind);
        }

        /**
         * The allocation of a container with this demand, of which the response names the card whatever resource the call was
         * about; empty if the call was for another amount.
         */
        Optional<ContainerAllocation> allocation(ContainerDemand demand, Inventory inventory) {
            Set<CardId> known =
                    cards.stream().flatMap(card -> card.in(inventory).stream()).collect(Collectors.toSet());
            Share request = demand.request();
            boolean whole = request.wholeCards() > 0;
            boolean matches = known.size() == cards.size()
                    && ofAmount(request)
                    && (whole ? known.size() == request.wholeCards() : request.divisibleBy(known.size()));
            Share each = whole ? Share.WHOLE_CARD : request.dividedBy(cards.size());
            return matches
                    ? Optional.of(new ContainerAllocation(
                            demand.name(),
                            demand.role(),
                            known.stream().collect(Collectors.toMap(Function.identity(), _ -> each))))
                    : Optional.empty();
        }

        private boolean ofAmount(Share request) {
            return Stream.of(ShareKind.values())
                    .filter(this::mayBe)
                    .mapToInt(kind -> kind.in(request))
                    .anyMatch(amount -> amount > 0 && amount == ids.size());
        }
    }

    public KubeletCheckpoint {
        pods = Map.copyOf(pods);
    }

    public static KubeletCheckpoint of(Collection<Entry> entries) {
        return new KubeletCheckpoint(entries.stream().collect(Collectors.groupingBy(Entry::podUid)));
    }

    /** The uid of the pod whose container of that name has one of these devices: an ID is allocated once. */
    Optional<String> podUid(String container, Set<String> devices) {
        return pods.values().stream()
                .flatMap(List::stream)
                .filter(entry -> entry.container().equals(container)
                        && entry.ids().stream().anyMatch(devices::contains))
                .map(Entry::podUid)
                .findFirst();
    }

    /** The answered calls of that pod. */
    List<Entry> entries(String podUid) {
        return pods.getOrDefault(podUid, List.of());
    }
}
