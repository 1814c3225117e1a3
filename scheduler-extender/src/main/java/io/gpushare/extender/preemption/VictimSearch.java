package io.gpushare.extender.preemption;

import io.gpushare.extender.pod.PodPriority;
import io.gpushare.model.Demand;
import io.gpushare.model.Share;
import io.gpushare.model.card.CardId;
import io.gpushare.model.ledger.CardOrder;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.ledger.NodeCards.Holding;
import io.gpushare.model.ledger.Placement;
import java.time.Instant;
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
 * Which pods must go from a node so that a demand finds cards there, and none beside them.
 *
 * <p>It looks at each card alone, for the pods that hold it, and then at the cheapest cards together, one more at a time,
 * until there is room. In each such group all may go, and then each stays that can: the higher priority first, of one
 * priority the smaller (so that few go), of one size the older. A pod that leaves anyway stays last. More room never makes
 * a demand impossible, so nobody is evicted who could have stayed.
 *
 * <p>Of what it found it takes the set whose highest priority is lowest, then the smallest, then the lowest sum of
 * priorities, then the youngest: kube-scheduler's own order. For one card no set has a lower highest priority, and among
 * pods of one priority none is smaller. For several cards that need not be so: it would take a search over all sets.
 */
public final class VictimSearch {
    private static final Comparator<List<PodPriority>> LEAST_HARM = Comparator.comparingInt(VictimSearch::highest)
            .thenComparingInt(ranks -> evicted(ranks).size())
            .thenComparingLong(ranks ->
                    evicted(ranks).stream().mapToLong(PodPriority::priority).sum())
            .thenComparing(VictimSearch::oldest, Comparator.reverseOrder());

    private final NodeCards cards;
    private final Demand demand;
    private final Map<String, PodPriority> evictable;

    private VictimSearch(NodeCards cards, Demand demand, Map<String, PodPriority> evictable) {
        this.cards = cards;
        this.demand = demand;
        this.evictable = evictable;
    }

    /**
     * The uids of the pods that must go, those that matter least last; empty if all that may go would not make room.
     *
     * @param evictable by uid, the pods that may be evicted
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
                .min(Comparator.comparing(this::ranks, LEAST_HARM))
                .map(victims ->
                        victims.stream().map(holding -> holding.holder().key()).toList());
    }

    /** Those who may go of the card's holders, what matters most first. */
    private List<Holding> holders(CardId card) {
        return sorted(cards.holdings().stream()
                .filter(holding -> evictable.containsKey(holding.holder().key()))
                .filter(holding -> holding.allocation().cards().contains(card))
                .toList());
    }

    /** The cheapest cards together, as many as are needed. */
    private Optional<List<Holding>> together(List<List<Holding>> holders) {
        Set<Holding> group = new LinkedHashSet<>();
        return holders.stream()
                .sorted(Comparator.comparing(this::ranks, LEAST_HARM))
                .filter(group::addAll)
                .map(added -> spare(sorted(group)))
                .flatMap(Optional::stream)
                .findFirst();
    }

    /** Who of the group must go: first all, then each stays that can. */
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
                .sorted(Comparator.comparing((Holding holding) -> rank(holding).leaving())
                        .thenComparing(Comparator.comparingInt(
                                        (Holding holding) -> rank(holding).priority())
                                .reversed())
                        .thenComparingLong(this::size)
                        .thenComparing(holding -> rank(holding).created()))
                .toList();
    }

    /** How much room it would make, in units. */
    private long size(Holding holding) {
        long units = 0;
        for (CardState state : cards.cards()) {
            CardId card = state.card().id();
            Share share = holding.allocation().shareOn(card);
            units += share.wholeCards() > 0 ? state.capacity().units() : share.units();
        }
        return units;
    }

    private PodPriority rank(Holding holding) {
        return Objects.requireNonNull(evictable.get(holding.holder().key()));
    }

    private List<PodPriority> ranks(List<Holding> holdings) {
        return holdings.stream().map(this::rank).toList();
    }

    /** Those for whom it is an eviction: who leaves anyway costs nothing. */
    private static List<PodPriority> evicted(List<PodPriority> ranks) {
        return ranks.stream().filter(rank -> !rank.leaving()).toList();
    }

    private static int highest(List<PodPriority> ranks) {
        return evicted(ranks).stream().mapToInt(PodPriority::priority).max().orElse(Integer.MIN_VALUE);
    }

    private static Instant oldest(List<PodPriority> ranks) {
        return evicted(ranks).stream()
                .map(PodPriority::created)
                .min(Comparator.naturalOrder())
                .orElse(Instant.MAX);
    }
}
