package io.gpushare.model.ledger;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The immutable state of one node's cards: the inventory, and the allocation of each holder.
 *
 * <p>{@link #place} only finds what fits. {@link #with} records every allocation, fitting or not: a holder keeps its
 * cards even if they are absent, unhealthy or over-committed, and that never increases the free memory. Therefore a
 * ledger rebuilt from the API in any order is the same ledger.
 */
public final class NodeCards {
    /** A holder and its allocation. */
    public record Holding(PodRef holder, Allocation allocation) {}

    private final Inventory inventory;
    private final Map<String, Holding> holdings;
    private final List<CardState> cards;
    // These two tell at once that most demands fit.
    private final int mostUnits;
    private final int unused;
    // Computed on demand, by several threads with the same result.
    private @Nullable OpenCards open;

    private NodeCards(Inventory inventory, Map<String, Holding> holdings, List<CardState> cards) {
        this.inventory = inventory;
        this.holdings = holdings;
        this.cards = cards;
        int most = 0;
        int whole = 0;
        for (CardState state : cards) {
            most = Math.max(most, state.free().units());
            whole += state.free().wholeCards();
        }
        this.mostUnits = most;
        this.unused = whole;
    }

    /** A node on which nothing is allocated. */
    public static NodeCards of(Inventory inventory) {
        List<CardState> cards = inventory.cards().stream()
                .map(card -> new CardState(card, inventory))
                .toList();
        return new NodeCards(inventory, Map.of(), cards);
    }

    public Inventory inventory() {
        return inventory;
    }

    /** The cards of the inventory in its order, with what is allocated on each. */
    public List<CardState> cards() {
        return cards;
    }

    /** The cards that accept new pods. */
    public OpenCards open() {
        @Nullable OpenCards known = open;
        if (known == null) {
            known = OpenCards.of(cards);
            open = known;
        }
        return known;
    }

    public Collection<Holding> holdings() {
        return holdings.values();
    }

    public Optional<Allocation> allocationOf(String holder) {
        return Optional.ofNullable(holdings.get(holder)).map(Holding::allocation);
    }

    /** The same allocations with another inventory. */
    public NodeCards withInventory(Inventory changed) {
        return changed.equals(inventory) ? this : of(changed).holding(holdings);
    }

    /** The same where that holder has this allocation, in place of any earlier one. */
    public NodeCards with(PodRef holder, Allocation allocation) {
        Map<String, Holding> changed = new LinkedHashMap<>(holdings);
        Holding before = changed.put(holder.uid(), new Holding(holder, allocation));
        return before == null ? new NodeCards(inventory, changed, with(cards, allocation)) : holding(changed);
    }

    /** The same without the allocation of the holder with that key. */
    public NodeCards without(String holder) {
        if (!holdings.containsKey(holder)) {
            return this;
        }
        Map<String, Holding> changed = new LinkedHashMap<>(holdings);
        changed.remove(holder);
        return holding(changed);
    }

    /** The same without the allocations of these holders. */
    public NodeCards without(Collection<String> holders) {
        Map<String, Holding> changed = new LinkedHashMap<>(holdings);
        return changed.keySet().removeAll(Set.copyOf(holders)) ? holding(changed) : this;
    }

    /** The same cards with these holdings. */
    private NodeCards holding(Map<String, Holding> changed) {
        List<CardState> states =
                cards.stream().map(state -> state.allocated(Share.NONE)).toList();
        for (Holding holding : changed.values()) {
            states = with(states, holding.allocation());
        }
        return new NodeCards(inventory, changed, states);
    }

    /** Why the demand does not fit; null if it does. The result is that of {@link #place}, which takes longer. */
    public @Nullable Nearest nearest(Demand demand) {
        if (demand.plain()) {
            int fitting = demand.shares() ? 0 : unused;
            boolean fits = demand.shares() ? demand.share().units() <= mostUnits : demand.wholeCards() <= unused;
            return fits ? null : Nearest.of(demand, !demand.shares(), cards, fitting);
        }
        return demand.parts().size() == 1
                ? new PlacementSearch(inventory, cards, NodeCards::any, NodeCards::any).nearest(demand)
                : place(demand, NodeCards::any, NodeCards::any, new ArrayList<>());
    }

    /** The reason why the demand does not fit; null if it does. */
    public @Nullable Refusal refusal(Demand demand) {
        @Nullable Nearest nearest = nearest(demand);
        return nearest == null ? null : nearest.refusal();
    }

    /**
     * Cards that fit the demand, or why none fit: those with the least free memory, so that used cards are filled
     * before an unused one. It reserves nothing.
     */
    public Placement place(Demand demand) {
        return place(demand, NodeCards::any, NodeCards::any);
    }

    /**
     * The same among some cards only.
     *
     * @param forShares the cards that may be shared
     * @param forWhole the cards that may be taken whole
     */
    public Placement place(Demand demand, Predicate<CardState> forShares, Predicate<CardState> forWhole) {
        List<ContainerAllocation> placed = new ArrayList<>();
        @Nullable Nearest why = place(demand, forShares, forWhole, placed);
        return why == null
                ? new Placement.Placed(new Allocation(inventory.unit(), placed))
                : new Placement.Refused(why.refusal());
    }

    /** Adds the containers to those that are placed; returns why one does not fit, or null. */
    private @Nullable Nearest place(
            Demand demand,
            Predicate<CardState> forShares,
            Predicate<CardState> forWhole,
            List<ContainerAllocation> placed) {
        for (Demand part : demand.parts()) {
            // No card is shared by one of its containers and taken whole by another, not even one after the other.
            Predicate<CardState> unshared = state -> !has(placed, state, Share::hasPart);
            Predicate<CardState> notWhole = state -> !has(placed, state, share -> share.takenWhole() > 0);
            PlacementSearch search =
                    new PlacementSearch(inventory, beside(placed), forShares.and(notWhole), forWhole.and(unshared));
            @Nullable Nearest why = search.nearest(part);
            if (why != null) {
                return why;
            }
            placed.addAll(search.place(part));
        }
        return null;
    }

    private static boolean has(List<ContainerAllocation> placed, CardState state, Predicate<Share> which) {
        return placed.stream()
                .anyMatch(container -> which.test(container.on(state.card().id())));
    }

    /** The cards beside these containers of the pod that is placed, except those that have ended by then. */
    private List<CardState> beside(List<ContainerAllocation> placed) {
        List<ContainerAllocation> running = placed.stream()
                .filter(container -> container.role() != ContainerRole.INIT)
                .toList();
        return running.isEmpty() ? cards : with(cards, new Allocation(inventory.unit(), running));
    }

    /** Whether that allocation could be added with no card over-committed, and every card is present and placeable. */
    public boolean fits(Allocation allocation) {
        return obstacles(allocation).isEmpty();
    }

    /** What keeps its cards from giving their shares of that allocation, whoever chose them; empty if nothing does. */
    public Map<CardId, Obstacle> obstacles(Allocation allocation) {
        Map<CardId, Obstacle> obstacles = new LinkedHashMap<>();
        allocation.cards().forEach(card -> obstacles.put(card, Obstacle.ABSENT));
        for (CardState state : cards) {
            CardId card = state.card().id();
            if (obstacles.containsKey(card)) {
                Share share = shareOn(allocation, card);
                boolean both = share.takenWhole() > 0 && share.hasPart();
                @Nullable Obstacle obstacle = both ? Obstacle.TAKEN_WHOLE : Obstacle.of(share, state);
                if (obstacle == null) {
                    obstacles.remove(card);
                } else {
                    obstacles.put(card, obstacle);
                }
            }
        }
        return obstacles;
    }

    /**
     * The share of that card that the allocation takes, in the node's units. Anyone may write a small unit into an
     * annotation, so each unit of the allocation counts for at least one of the node's, as the kubelet counts them.
     */
    public Share shareOn(Allocation allocation, CardId card) {
        Share share = allocation.shareOn(card);
        int units = inventory.unit().unitsCovering(share.units(), allocation.unit());
        return units <= share.units() ? share : share.withUnits(units);
    }

    /** The memory unit of all nodes with cards among these; null if it differs, or none has. */
    public static @Nullable MemoryUnit commonUnit(Stream<NodeCards> nodes) {
        List<MemoryUnit> units = nodes.map(NodeCards::inventory)
                .filter(inventory -> !inventory.cards().isEmpty())
                .map(Inventory::unit)
                .distinct()
                .limit(2)
                .toList();
        return units.size() == 1 ? units.getFirst() : null;
    }

    /** The node's memory units that the allocation takes: of a card that it takes whole, all. */
    public long units(Allocation allocation) {
        return cards.stream()
                .mapToLong(state -> {
                    Share share = shareOn(allocation, state.card().id());
                    return share.takenWhole() > 0 ? state.capacity().units() : share.units();
                })
                .sum();
    }

    /** The cards with that allocation added. */
    private List<CardState> with(List<CardState> states, Allocation allocation) {
        return states.stream()
                .map(state -> state.allocated(
                        state.allocated().plus(shareOn(allocation, state.card().id()))))
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

    private static boolean any(CardState card) {
        return true;
    }
}
