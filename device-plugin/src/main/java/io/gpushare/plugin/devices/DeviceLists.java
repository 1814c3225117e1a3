package io.gpushare.plugin.devices;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.codec.DeviceId;
import io.gpushare.model.ledger.CardState;
import io.gpushare.plugin.node.NodeAllocations;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The devices of both resources, linked: a card that serves memory is not offered whole, and a card taken whole offers no
 * memory. A cordoned card offers nothing more. An ill card is unhealthy in both lists. A device that the kubelet has given out is never made unhealthy by the
 * link, since that would take it from a container that restarts.
 */
public record DeviceLists(List<Offered> memory, List<Offered> cards) {
    /**
     * One device as the kubelet counts it.
     *
     * @param numaNode where the kubelet should look for cpu and memory beside it; null leaves that open
     */
    public record Offered(
            String id, boolean healthy, @Nullable Integer numaNode) {
        public Offered {
            Objects.requireNonNull(id);
        }

        public Offered(String id, boolean healthy) {
            this(id, healthy, null);
        }
    }

    public DeviceLists {
        memory = List.copyOf(memory);
        cards = List.copyOf(cards);
    }

    public static DeviceLists of(NodeAllocations use) {
        return new DeviceLists(
                list(use, DeviceResource.MEMORY, state -> state.card().cordoned() || state.takenWhole()),
                list(
                        use,
                        DeviceResource.CARDS,
                        state -> state.card().cordoned() || state.allocated().units() > 0));
    }

    public List<Offered> of(DeviceResource resource) {
        return switch (resource) {
            case MEMORY -> memory;
            case CARDS -> cards;
        };
    }

    /** The IDs of that card's devices, in the order of the list. */
    static List<String> ids(Card card, int units, DeviceResource resource) {
        return switch (resource) {
            case CARDS -> List.of(new DeviceId.WholeCard(card.id()).toString());
            case MEMORY -> {
                List<String> ids = new ArrayList<>(units);
                for (int number = 0; number < units; number++) {
                    ids.add(new DeviceId.MemoryUnitOf(card.id(), number).toString());
                }
                yield ids;
            }
        };
    }

    private static List<Offered> list(NodeAllocations use, DeviceResource resource, Predicate<CardState> closed) {
        Map<CardId, List<String>> ids = new HashMap<>();
        Set<String> withdrawn = new HashSet<>();
        int owed = 0;
        for (CardState state : use.written().cards()) {
            List<String> own = ids(state.card(), state.capacity().units(), resource);
            ids.put(state.card().id(), own);
            if (closed.test(state) && state.card().health().healthy()) {
                List<String> free =
                        own.stream().filter(id -> !use.booked().contains(id)).toList();
                withdrawn.addAll(free);
                owed += own.size() - free.size() - whereTheyBelong(use, state, resource, own.size() - free.size());
            }
        }
        withdrawn.addAll(instead(use, resource, ids, withdrawn, owed));
        List<Offered> list = new ArrayList<>();
        for (CardState state : use.written().cards()) {
            // Only of whole cards: a memory unit's device may be of another card than its container gets.
            @Nullable
            Integer numaNode = resource == DeviceResource.CARDS ? state.card().numaNode() : null;
            for (String id : Objects.requireNonNull(ids.get(state.card().id()))) {
                list.add(new Offered(id, state.card().health().healthy() && !withdrawn.contains(id), numaNode));
            }
        }
        return list;
    }

    /** How many of a cordoned card's devices that are given out are those of the card's own pods. */
    private static int whereTheyBelong(NodeAllocations use, CardState state, DeviceResource resource, int givenOut) {
        boolean onlyCordoned = state.card().cordoned()
                && (resource == DeviceResource.CARDS
                                ? state.allocated().units()
                                : state.allocated().wholeCards())
                        == 0;
        return onlyCordoned
                ? use.held().cards().stream()
                        .filter(held -> held.card().id().equals(state.card().id()))
                        .mapToInt(held -> Math.min(givenOut, held(held, resource)))
                        .sum()
                : 0;
    }

    private static int held(CardState state, DeviceResource resource) {
        return resource.in(state.allocated());
    }

    /**
     * Where the kubelet gave out devices of other cards than those that its containers have, a device that must not be
     * offered may be one that is given out. Then as many free devices of cards that are held, but not by the kubelet's
     * books, are withdrawn instead: the kubelet only counts, and the count is right.
     */
    private static Set<String> instead(
            NodeAllocations use,
            DeviceResource resource,
            Map<CardId, List<String>> ids,
            Set<String> withdrawn,
            int owed) {
        Set<String> chosen = new HashSet<>();
        for (CardState state : use.written().cards()) {
            List<String> own = Objects.requireNonNull(ids.get(state.card().id()));
            long unbooked = held(state, resource)
                    - own.stream().filter(use.booked()::contains).count();
            own.stream()
                    .filter(id -> !use.booked().contains(id) && !withdrawn.contains(id))
                    .limit(Math.max(0, Math.min(unbooked, owed - chosen.size())))
                    .forEach(chosen::add);
        }
        return chosen;
    }
}
