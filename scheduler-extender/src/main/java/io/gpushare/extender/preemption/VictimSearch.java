package io.gpushare.extender.preemption;

import io.gpushare.extender.pod.PodPriority;
import io.gpushare.model.Demand;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Share;
import io.gpushare.model.ledger.CardOrder;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.ledger.NodeCards.Holding;
import io.gpushare.model.ledger.Placement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Finds the smallest set of pods to evict from a node so that a demand fits.
 *
 * <p>It tries the holders of each card alone, and then those of the cheapest cards together, one card more at a time, until
 * the demand fits. In each such group all pods are removed, and then each is put back that can stay: the higher priority
 * first, then the smaller pod (so that few are evicted), then the older. A pod that terminates anyway is put back last. More
 * free cards never make a demand impossible, so no pod is evicted that could have stayed.
 *
 * <p>Of the sets found it takes the one with the least {@link Harm}. For one card no set has a lower highest priority, and among
 * pods of one priority none is smaller. For several cards that is not guaranteed: it would take a search over all sets.
 */
public final class VictimSearch {
    private final NodeCards cards;
    private final Demand demand;
    private final Map<String, PodPriority> evictable;

    private VictimSearch(NodeCards cards, Demand demand, Map<String, PodPriority> evictable) {
        this.cards = cards;
        this.demand = demand;
        this.evictable = evictable;
    }

    /**
     * The uids of the pods to evict, the least important last; empty if evicting all of them would not suffice.
     *
     * @param evictable the pods that may be evicted, by uid
     */
    public static Optional<List<String>> victims(NodeCards cards, Demand demand, Map<String, PodPriority> evictable) {
        return fits(cards, demand)
                ? Optional.of(List.of())
                : new VictimSearch(cards, demand, Map.copyOf(evictable)).best();
    }

    private static boolean fits(NodeCards cards, Demand demand) {
        return cards.place(demand, CardOrder.BINPACK) instanceof Placement.Placed;
    }

    private Optional<List<String>> best() {
        List<List<Holding>> holders = new ArrayList<>();
        for (CardState state : cards.cards()) {
            if (state.card().placeable()) {
                holders.add(holders(state.card().id()));
            }
        }
        List<List<Holding>> found = new ArrayList<>();
        holders.forEach(group -> spare(group).ifPresent(found::add));
        together(holders).ifPresent(found::add);
        return found.stream()
                .min(Comparator.comparing(this::harm))
                .map(victims ->
                        victims.stream().map(holding -> holding.holder().key()).toList());
    }

    /** The evictable holders of the card, the most important first. */
    private List<Holding> holders(CardId card) {
        return sorted(cards.holdings().stream()
                .filter(holding -> evictable.containsKey(holding.holder().key()))
                .filter(holding -> holding.allocation().cards().contains(card))
                .toList());
    }

    /** The victims on the cheapest cards together, as many cards as are needed. */
    private Optional<List<Holding>> together(List<List<Holding>> holders) {
        Set<Holding> group = new LinkedHashSet<>();
        return holders.stream()
                .sorted(Comparator.comparing(this::harm))
                .filter(group::addAll)
                .map(added -> spare(sorted(group)))
                .flatMap(Optional::stream)
                .findFirst();
    }

    /** The victims of the group: all are removed, then each is put back that can stay. */
    private Optional<List<Holding>> spare(List<Holding> group) {
        NodeCards left = cards;
        for (Holding holding : group) {
            left = left.without(holding.holder().key());
        }
        if (!fits(left, demand)) {
            return Optional.empty();
        }
        List<Holding> victims = new ArrayList<>();
        for (Holding holding : group) {
            NodeCards with = left.with(holding.holder(), holding.allocation());
            if (fits(with, demand)) {
                left = with;
            } else {
                victims.add(holding);
            }
        }
        return Optional.of(victims);
    }

    private List<Holding> sorted(Collection<Holding> holdings) {
        return holdings.stream()
                .sorted(Comparator.comparing(
                                (Holding holding) -> priority(holding).terminating())
                        .thenComparing(Comparator.comparingInt(
                                        (Holding holding) -> priority(holding).value())
                                .reversed())
                        .thenComparingLong(this::size)
                        .thenComparing(holding -> priority(holding).created()))
                .toList();
    }

    /** How many memory units the eviction would free. */
    private long size(Holding holding) {
        long units = 0;
        for (CardState state : cards.cards()) {
            CardId card = state.card().id();
            Share share = holding.allocation().shareOn(card);
            units += share.wholeCards() > 0 ? state.capacity().units() : share.units();
        }
        return units;
    }

    private PodPriority priority(Holding holding) {
        return Objects.requireNonNull(evictable.get(holding.holder().key()));
    }

    private Harm harm(List<Holding> holdings) {
        return Harm.of(holdings.stream().map(this::priority).toList());
    }
}
