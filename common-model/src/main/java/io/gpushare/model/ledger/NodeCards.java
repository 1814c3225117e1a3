package io.gpushare.model.ledger;

import io.gpushare.model.Allocation;
import io.gpushare.model.Demand;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The immutable state of one node's cards: the inventory, and the allocation of each pod.
 *
 * <p>{@link #place} only answers what fits. {@link #with} records whatever is true, fitting or not: a pod that holds a
 * card holds it, be the card gone, ill or over-used, and free memory never grows from that. So a ledger rebuilt from the
 * API in any order is the same ledger.
 */
public final class NodeCards {
    /** A pod and what it holds. */
    public record Holding(PodRef pod, Allocation allocation) {
        public Holding {
            Objects.requireNonNull(pod);
            Objects.requireNonNull(allocation);
        }
    }

    private final Inventory inventory;
    private final Map<String, Holding> holdings;
    private final List<CardState> cards;

    private NodeCards(Inventory inventory, Map<String, Holding> holdings, List<CardState> cards) {
        this.inventory = inventory;
        this.holdings = holdings;
        this.cards = cards;
    }

    private NodeCards(Inventory inventory, Map<String, Holding> holdings) {
        this(inventory, holdings, states(inventory, holdings.values()));
    }

    /** A node on which nothing is allocated. */
    public static NodeCards of(Inventory inventory) {
        return new NodeCards(inventory, Map.of());
    }

    public Inventory inventory() {
        return inventory;
    }

    /** The cards of the inventory in its order, with what is allocated on each. */
    public List<CardState> cards() {
        return cards;
    }

    public Collection<Holding> holdings() {
        return holdings.values();
    }

    public Optional<Allocation> allocationOf(String podUid) {
        return Optional.ofNullable(holdings.get(podUid)).map(Holding::allocation);
    }

    /** The same allocations on the cards as they are now. */
    public NodeCards withInventory(Inventory changed) {
        return changed.equals(inventory) ? this : new NodeCards(changed, holdings);
    }

    /** This pod holds that, instead of whatever it held before. */
    public NodeCards with(PodRef pod, Allocation allocation) {
        Map<String, Holding> changed = new LinkedHashMap<>(holdings);
        Holding before = changed.put(pod.uid(), new Holding(pod, allocation));
        return before == null
                ? new NodeCards(inventory, changed, with(inventory, cards, allocation))
                : new NodeCards(inventory, changed);
    }

    /** This pod holds nothing any more. */
    public NodeCards without(String podUid) {
        if (!holdings.containsKey(podUid)) {
            return this;
        }
        Map<String, Holding> changed = new LinkedHashMap<>(holdings);
        changed.remove(podUid);
        return new NodeCards(inventory, changed);
    }

    /** Cards for that demand, the first of the order that fit, or why there are none. Nothing is reserved. */
    public Placement place(Demand demand, CardOrder order) {
        return place(demand, order, any -> true, any -> true);
    }

    /** The same among those cards only: these for its memory, those to be taken whole. */
    public Placement place(
            Demand demand, CardOrder order, Predicate<CardState> forMemory, Predicate<CardState> forWhole) {
        return new PlacementSearch(inventory, cards, order, forMemory, forWhole).place(demand);
    }

    /** Whether that allocation could be added with nothing over-used, every card present and well. */
    public boolean fits(Allocation allocation) {
        Map<CardId, CardState> byId = new HashMap<>();
        cards.forEach(state -> byId.put(state.card().id(), state));
        return allocation.wholeCards().stream()
                        .allMatch(id -> byId.containsKey(id)
                                && byId.get(id).free()
                                && !allocation.memoryCards().contains(id))
                && allocation.memoryCards().stream()
                        .allMatch(id ->
                                byId.containsKey(id) && byId.get(id).freeUnits() >= units(inventory, allocation, id));
    }

    /** What that allocation takes of the card's memory, in this node's units. */
    public int units(Allocation allocation, CardId card) {
        return units(inventory, allocation, card);
    }

    /**
     * What that allocation takes of the card, in the node's units. The unit stands in the allocation itself, where anybody
     * may write a small one: each of its units counts for one of the node's at least, as the kubelet counts them.
     */
    private static int units(Inventory inventory, Allocation allocation, CardId card) {
        int units = allocation.unitsOn(card);
        return Math.max(units, inventory.unit().unitsCovering(units, allocation.unit()));
    }

    private static List<CardState> states(Inventory inventory, Collection<Holding> holdings) {
        List<CardState> states = inventory.cards().stream()
                .map(card -> new CardState(card, inventory.unitsOf(card), 0, 0))
                .toList();
        for (Holding holding : holdings) {
            states = with(inventory, states, holding.allocation());
        }
        return states;
    }

    /** The cards with that allocation beside what they had. */
    private static List<CardState> with(Inventory inventory, List<CardState> cards, Allocation allocation) {
        Set<CardId> memory = allocation.memoryCards();
        Set<CardId> whole = allocation.wholeCards();
        return cards.stream()
                .map(state -> {
                    CardId card = state.card().id();
                    return state.with(
                            memory.contains(card) ? units(inventory, allocation, card) : 0,
                            whole.contains(card) ? 1 : 0);
                })
                .toList();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NodeCards that && inventory.equals(that.inventory) && holdings.equals(that.holdings);
    }

    @Override
    public int hashCode() {
        return Objects.hash(inventory, holdings);
    }

    @Override
    public String toString() {
        return "NodeCards" + cards;
    }
}
