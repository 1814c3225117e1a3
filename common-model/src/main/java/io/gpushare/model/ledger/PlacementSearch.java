package io.gpushare.model.ledger;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.Demand;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Share;
import io.gpushare.model.card.ShareKind;
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
    Placement place(Demand demand) {
        @Nullable Refusal refusal = refusal(demand);
        if (refusal != null) {
            return new Placement.Refused(refusal);
        }
        List<CardState> allowed = cards.stream()
                .filter(state -> state.acceptedBy(demand.selector()))
                .toList();
        List<CardState> free =
                allowed.stream().filter(state -> wholeFree(state, demand)).toList();
        List<CardState> shared = shared(demand, allowed, free);
        List<CardState> left =
                free.stream().filter(state -> !shared.contains(state)).toList();
        return placed(
                demand,
                shared,
                BestLinked.choose(inventory.links(), left.subList(0, demand.wholeCards()), left, Integer.MAX_VALUE));
    }

    /** Why the demand does not fit; null if it does. */
    @Nullable
    Refusal refusal(Demand demand) {
        int present = 0;
        int shareable = 0;
        int shareableOnly = 0;
        int free = 0;
        List<ShareKind> unlimited = beside(demand);
        for (CardState state : cards) {
            if (state.acceptedBy(demand.selector())) {
                boolean whole = wholeFree(state, demand);
                boolean shares = shareable(state, demand);
                present++;
                shareable += shares ? 1 : 0;
                shareableOnly += shares && !whole ? 1 : 0;
                free += whole ? 1 : 0;
                unlimited = unlimited.isEmpty()
                        ? unlimited
                        : unlimited.stream()
                                .filter(kind -> !gives(state, kind, demand))
                                .toList();
            }
        }
        if (present == 0 && !demand.selector().any()) {
            return Refusal.NO_CARD_OF_KIND;
        }
        if (demand.cards() > 1 && demand.cards() > present) {
            return Refusal.TOO_FEW_CARDS;
        }
        if (!unlimited.isEmpty()) {
            return Refusal.noLimit(unlimited.getFirst());
        }
        if (shareable < demand.sharedCards()) {
            return lacking(demand);
        }
        int left = free - Math.max(0, demand.sharedCards() - shareableOnly);
        return left >= demand.wholeCards()
                ? null
                : demand.instances() ? Refusal.NO_FREE_INSTANCES : Refusal.NO_FREE_CARDS;
    }

    private Refusal lacking(Demand demand) {
        if (demand.sharedCards() > 1) {
            return Refusal.NO_CARDS_WITH_MEMORY;
        }
        // Memory alone, and then with what comes beside it, until it does not fit any more.
        Share share = demand.share().memoryOnly();
        if (!offered(share, demand)) {
            return Refusal.NO_CARD_WITH_MEMORY;
        }
        for (ShareKind kind : beside(demand)) {
            share = share.plus(kind.partOf(demand.share()));
            if (!offered(share, demand)) {
                return Refusal.lack(kind);
            }
        }
        return Refusal.NO_CARD_WITH_MEMORY;
    }

    private boolean offered(Share share, Demand demand) {
        return cards.stream().anyMatch(state -> state.acceptedBy(demand.selector()) && state.offers(share));
    }

    /** The kinds that the demand has beside memory or whole cards. */
    private static List<ShareKind> beside(Demand demand) {
        if (!demand.slotted() && !demand.share().hasPercents()) {
            return List.of();
        }
        return ShareKind.BESIDE.stream()
                .filter(kind -> kind == ShareKind.SLOTS ? demand.slotted() : kind.in(demand.share()) > 0)
                .toList();
    }

    /** Whether cards like this one have that kind for such a demand. Who requests slots may have unlimited cores. */
    private static boolean gives(CardState state, ShareKind kind, Demand demand) {
        return demand.slotted() ? kind.in(state.capacity()) > 0 : state.limits(kind);
    }

    /**
     * The cards to share: one is the first of the {@link #order}, several are the best-linked ones. They leave enough
     * of the free cards for the containers that take whole cards. Among equal free cards the one least close to the
     * others comes first.
     *
     * @param free the cards that may be taken whole
     */
    private List<CardState> shared(Demand demand, List<CardState> allowed, List<CardState> free) {
        int count = demand.sharedCards();
        List<CardState> candidates = allowed.stream()
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

    /** Whether the card may give its share. */
    private boolean shareable(CardState state, Demand demand) {
        return state.offers(demand.share()) && forShares.test(state) && demand.mayShare(state.card());
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

    private Placement placed(Demand demand, List<CardState> shared, List<CardState> whole) {
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
        return new Placement.Placed(new Allocation(inventory.unit(), containers));
    }

    private static boolean free(CardState state) {
        return state.offers(state.card().id().whole());
    }

    private boolean wholeFree(CardState state, Demand demand) {
        return state.offers(demand.wholeShare()) && forWhole.test(state);
    }
}
