package io.gpushare.plugin.allocate.devices;

import io.gpushare.model.card.CardId;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.plugin.allocate.snapshot.NodeAllocations;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The devices of every resource, linked: a card that serves memory is not offered whole, and a card taken whole offers
 * no memory. A cordoned card offers nothing more, a card without the isolation that was asked for no more memory, and
 * an unhealthy card is unhealthy in every list. The link never makes an allocated device unhealthy, because a container
 * that restarts would lose it.
 */
public record DeviceLists(Map<DeviceResource, List<Offered>> lists) {
    /**
     * One device as the kubelet counts it.
     *
     * @param numaNode the NUMA node for the kubelet's topology hints; null for no hint
     */
    public record Offered(
            String id, boolean healthy, @Nullable Integer numaNode) {
        public Offered(String id, boolean healthy) {
            this(id, healthy, null);
        }
    }

    public DeviceLists {
        Map<DeviceResource, List<Offered>> copy = new HashMap<>();
        DeviceResource.STANDARD.forEach(resource -> copy.put(resource, List.of()));
        lists.forEach((resource, list) -> copy.put(resource, List.copyOf(list)));
        lists = Map.copyOf(copy);
    }

    public static DeviceLists of(NodeAllocations allocations) {
        Set<DeviceResource> resources = new HashSet<>(DeviceResource.STANDARD);
        resources.addAll(
                DeviceResource.ofInstances(allocations.reserved().inventory().cards()));
        Map<DeviceResource, List<Offered>> lists = new HashMap<>();
        resources.forEach(resource -> lists.put(resource, list(allocations, resource)));
        return new DeviceLists(lists);
    }

    /** The same lists without any device beyond these: no other device is healthy. */
    public DeviceLists only(Set<String> ids) {
        Map<DeviceResource, List<Offered>> fewer = new HashMap<>();
        lists.forEach((resource, list) -> fewer.put(
                resource,
                list.stream()
                        .map(each -> new Offered(each.id(), each.healthy() && ids.contains(each.id()), each.numaNode()))
                        .toList()));
        return new DeviceLists(fewer);
    }

    /** The resources of the MIG instances of this node. */
    public Set<DeviceResource> instances() {
        return lists.keySet().stream()
                .filter(resource -> resource.kind() == ShareKind.INSTANCES)
                .collect(Collectors.toSet());
    }

    /** The devices of that resource; none where no card offers it any more. */
    public List<Offered> list(DeviceResource resource) {
        return lists.getOrDefault(resource, List.of());
    }

    private static List<Offered> list(NodeAllocations allocations, DeviceResource resource) {
        Map<CardId, List<String>> ids = new HashMap<>();
        Set<String> withdrawn = new HashSet<>();
        int owed = 0;
        List<CardState> cards = allocations.reserved().cards().stream()
                .filter(resource::concerns)
                .toList();
        for (CardState state : cards) {
            List<String> own = resource.ids(state, allocations.allocatedIds());
            ids.put(state.card().id(), own);
            List<String> free = own.stream()
                    .filter(id -> !allocations.allocatedIds().contains(id))
                    .toList();
            boolean closed = resource.closed(state) || resource.excluded(state);
            if (closed && state.card().health().healthy()) {
                int kept = undeviced(allocations, state, resource) + awaited(allocations, state, resource);
                withdrawn.addAll(free.subList(Math.min(free.size(), kept), free.size()));
                int allocated = own.size() - free.size();
                owed += allocated - ofOwnPods(allocations, state, resource, allocated);
            } else {
                int uncounted = uncounted(allocations, state, resource);
                int kept = resource.kept(state, own);
                withdrawn.addAll(free.subList(0, Math.min(free.size(), uncounted + kept)));
                owed += Math.max(0, uncounted - Math.max(0, free.size() - kept));
            }
        }
        withdrawn.addAll(substitutes(allocations, cards, resource, ids, withdrawn, owed));
        List<Offered> list = new ArrayList<>();
        for (CardState state : cards) {
            @Nullable
            Integer numaNode = resource.namesItsCard() ? state.card().details().numaNode() : null;
            for (String id : Objects.requireNonNull(ids.get(state.card().id()))) {
                list.add(new Offered(id, state.card().health().healthy() && !withdrawn.contains(id), numaNode));
            }
        }
        return list;
    }

    /**
     * The amount on the card of pods that have devices of gpushare's. The scheduler counts what they request, so as
     * many devices of the card remain healthy, whatever else is withdrawn there.
     */
    private static int undeviced(NodeAllocations allocations, CardState state, DeviceResource resource) {
        return amount(allocations.undeviced(), state, resource);
    }

    /** The slots that are kept for pods which wait for them, on a card that accepts no others because of them. */
    private static int awaited(NodeAllocations allocations, CardState state, DeviceResource resource) {
        return resource.kind() != ShareKind.SLOTS || resource.closed(state)
                ? 0
                : ofCard(allocations.assigned(), state)
                        .filter(assigned -> !resource.excluded(assigned))
                        .mapToInt(assigned ->
                                Math.max(0, resource.amount(state.allocated()) - resource.amount(assigned.allocated())))
                        .sum();
    }

    /** The number of the card's devices that are in use although scheduler and kubelet count them as free. */
    private static int uncounted(NodeAllocations allocations, CardState state, DeviceResource resource) {
        return amount(allocations.uncounted(), state, resource);
    }

    private static int amount(NodeCards cards, CardState state, DeviceResource resource) {
        return ofCard(cards, state)
                .mapToInt(card -> resource.amount(card.allocated()))
                .sum();
    }

    private static Stream<CardState> ofCard(NodeCards cards, CardState state) {
        return cards.cards().stream()
                .filter(card -> card.card().id().equals(state.card().id()));
    }

    /** The number of a closed card's allocated devices that belong to the card's own pods. */
    private static int ofOwnPods(NodeAllocations allocations, CardState state, DeviceResource resource, int allocated) {
        return resource.ofOwnPods(state)
                ? Math.min(
                        allocated,
                        Math.max(
                                0,
                                amount(allocations.assigned(), state, resource)
                                        - uncounted(allocations, state, resource)))
                : 0;
    }

    /**
     * Devices to withdraw instead of allocated ones. The kubelet may have allocated devices of other cards than those
     * that its containers have, so a device that must not be offered may be allocated. Then the same number of free
     * devices is withdrawn on cards whose allocations exceed their allocated devices: the kubelet only counts, and the
     * count is right.
     */
    private static Set<String> substitutes(
            NodeAllocations allocations,
            List<CardState> cards,
            DeviceResource resource,
            Map<CardId, List<String>> ids,
            Set<String> withdrawn,
            int owed) {
        Set<String> chosen = new HashSet<>();
        for (CardState state : cards) {
            List<String> own = Objects.requireNonNull(ids.get(state.card().id()));
            long uncounted = resource.amount(state.allocated())
                    - undeviced(allocations, state, resource)
                    - uncounted(allocations, state, resource)
                    - own.stream().filter(allocations.allocatedIds()::contains).count();
            own.stream()
                    .filter(id -> !allocations.allocatedIds().contains(id) && !withdrawn.contains(id))
                    .limit(Math.max(0, Math.min(uncounted, owed - chosen.size())))
                    .forEach(chosen::add);
        }
        return chosen;
    }
}
