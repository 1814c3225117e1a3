package io.gpushare.model.ledger;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.Demand;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Share;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Searches the cards for one demand: the cards that all its containers share, and whole cards beside them.
 *
 * @param forShares the cards that may be shared
 * @param forWhole the cards that may be taken whole
 */
record PlacementSearch(
        Inventory inventory, List<CardState> cards, Predicate<CardState> forShares, Predicate<CardState> forWhole) {
    /** The cards for the demand, for which nothing is lacking. */
    List<ContainerAllocation> place(Demand demand) {
        List<CardState> free =
                cards.stream().filter(state -> wholeFree(state, demand)).toList();
        List<CardState> shared = shared(demand, free);
        List<CardState> left =
                free.stream().filter(state -> !shared.contains(state)).toList();
        return placed(
                demand,
                shared,
                BestLinked.choose(inventory.links(), left.subList(0, demand.wholeCards()), left, Integer.MAX_VALUE));
    }

    /** Why the demand does not fit; null if it does. */
    @Nullable
    Nearest nearest(Demand demand) {
        int shareable = 0;
        int free = 0;
        int either = 0;
        for (CardState state : cards) {
            boolean shares = demand.shares() && shareable(state, demand);
            boolean whole = demand.wholeCards() > 0 && wholeFree(state, demand);
            shareable += shares ? 1 : 0;
            free += whole ? 1 : 0;
            either += shares || whole ? 1 : 0;
        }
        if (shareable < demand.sharedCards()) {
            return Nearest.of(demand, false, cards, shareable);
        }
        int together = free + Math.min(either - free, demand.sharedCards());
        return together >= demand.cards() ? null : Nearest.of(demand, true, cards, free == 0 ? 0 : together);
    }

    /**
     * The cards to share: one is the first of the {@link #order}, several are the best-linked ones. They leave enough
     * of the free cards for the containers that take whole cards. Among equal free cards the one least close to the
     * others comes first.
     *
     * @param free the cards that may be taken whole
     */
    private List<CardState> shared(Demand demand, List<CardState> free) {
        int count = demand.sharedCards();
        List<CardState> candidates = cards.stream()
                .filter(state -> count > 0 && shareable(state, demand))
                .sorted(order(free))
                .toList();
        int mostFree = free.size() - demand.wholeCards();
        List<CardState> first = new ArrayList<>();
        int unused = 0;
        for (CardState state : candidates) {
            boolean takes = demand.wholeCards() > 0 && free.contains(state);
            if (first.size() < count && (!takes || unused < mostFree)) {
                first.add(state);
                unused += takes ? 1 : 0;
            }
        }
        return count < 2 || first.size() < count
                ? first
                : BestLinked.choose(inventory.links(), first, candidates, mostFree);
    }

    /**
     * The order in which cards to share are preferred: the least free memory first, then cards in use, then those least
     * close to the other free cards, then the lowest index, so that the same input gives the same result.
     */
    private Comparator<CardState> order(List<CardState> free) {
        return Comparator.<CardState>comparingInt(state -> state.free().units())
                .thenComparing(PlacementSearch::free)
                .thenComparingInt(state -> closenessToFree(state, free))
                .thenComparingInt(state -> state.card().index());
    }

    /** How close that free card is to the other free cards. */
    private int closenessToFree(CardState state, List<CardState> free) {
        return !free(state)
                ? 0
                : free.stream()
                        .filter(other -> !other.equals(state))
                        .mapToInt(other -> inventory
                                .links()
                                .closeness(state.card().id(), other.card().id()))
                        .sum();
    }

    private static List<ContainerAllocation> placed(Demand demand, List<CardState> shared, List<CardState> whole) {
        List<CardId> taken = whole.stream().map(state -> state.card().id()).toList();
        List<ContainerAllocation> containers = new ArrayList<>();
        int held = 0;
        for (ContainerDemand container : demand.containers()) {
            Map<CardId, Share> shares = new LinkedHashMap<>();
            int wholeCards = container.request().takenWhole();
            if (wholeCards == 0) {
                Share each = container.request().dividedBy(demand.split());
                shared.forEach(state -> shares.put(state.card().id(), each.on(state.capacity())));
            } else {
                taken.subList(held, held + wholeCards).forEach(card -> shares.put(card, demand.wholeShare()));
                // The cards of an init container are free again for the containers after it.
                held += switch (container.role()) {
                    case INIT -> 0;
                    case SIDECAR, APP -> wholeCards;
                };
            }
            containers.add(new ContainerAllocation(container.name(), container.role(), shares));
        }
        return containers;
    }

    private static boolean free(CardState state) {
        return state.offers(state.card().id().whole());
    }

    private boolean shareable(CardState state, Demand demand) {
        return Obstacle.ofShare(demand, state) == null && forShares.test(state);
    }

    private boolean wholeFree(CardState state, Demand demand) {
        return Obstacle.ofWhole(demand, state) == null && forWhole.test(state);
    }
}
