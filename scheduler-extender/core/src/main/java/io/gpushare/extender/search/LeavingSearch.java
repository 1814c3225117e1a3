package io.gpushare.extender.search;

import io.gpushare.model.Demand;
import io.gpushare.model.card.CardId;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.ledger.NodeCards.Holding;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Finds the sets of pods that must leave one node so that a demand fits.
 *
 * <p>It tries the holders of each card alone, and then those of the cheapest cards together, one card more at a time,
 * until the demand fits. In each such group all pods are removed, and then each is put back that can stay: the most
 * harmful first, then the smaller (so that few leave), then the older. A pod that terminates anyway is put back last.
 * More free cards never make a demand impossible, so every pod of a set is needed.
 *
 * <p>Then it tries all sets that do less harm than the best one so far. It ends after {@value #MOST_CHECKS} sets, which
 * is enough for any node with up to nine pods; on other nodes a better set may exist.
 */
public final class LeavingSearch {
    static final int MOST_CHECKS = 512;

    private final NodeCards cards;
    private final Demand demand;
    private final Map<String, Harm> mayLeave;
    private final List<Holding> holders;
    private final Set<Leaving> found = new LinkedHashSet<>();
    private Harm least = Harm.NONE;
    private int checks;

    /**
     * Pods that leave together.
     *
     * @param uids the most harmful first
     */
    public record Leaving(List<String> uids, Harm harm) {
        public Leaving {
            uids = List.copyOf(uids);
        }
    }

    private LeavingSearch(NodeCards cards, Demand demand, Map<String, Harm> mayLeave) {
        this.cards = cards;
        this.demand = demand;
        this.mayLeave = mayLeave;
        Map<String, Long> sizes = new HashMap<>();
        cards.holdings().forEach(holding -> sizes.put(uid(holding), cards.units(holding.allocation())));
        holders = cards.holdings().stream()
                .filter(holding -> mayLeave.containsKey(uid(holding)))
                .sorted(Comparator.comparingInt(
                                (Holding holding) -> harm(holding).highest())
                        .reversed()
                        .thenComparing(holding -> sizes.get(uid(holding)))
                        .thenComparing(holding -> harm(holding).oldest()))
                .toList();
    }

    /**
     * The sets, the least harmful first. It is one empty set if the demand fits, and none if all pods together would
     * not suffice.
     *
     * @param mayLeave the pods that may leave, by uid; {@link Harm#NONE} for those that leave anyway
     */
    public static List<Leaving> sets(NodeCards cards, Demand demand, Map<String, Harm> mayLeave) {
        LeavingSearch search = new LeavingSearch(cards, demand, mayLeave);
        if (search.fits(cards)) {
            return List.of(new Leaving(List.of(), Harm.NONE));
        }
        search.byCard();
        search.found.stream().map(Leaving::harm).min(Comparator.naturalOrder()).ifPresent(search::improve);
        return search.found.stream().sorted(Comparator.comparing(Leaving::harm)).toList();
    }

    private boolean fits(NodeCards some) {
        return some.refusal(demand) == null;
    }

    private void byCard() {
        List<List<Holding>> groups = new ArrayList<>();
        for (CardState state : cards.cards()) {
            if (state.card().placeable()) {
                CardId card = state.card().id();
                groups.add(holders.stream()
                        .filter(holding -> holding.allocation().cards().contains(card))
                        .toList());
            }
        }
        groups.forEach(this::add);
        groups.sort(Comparator.comparing(this::harm));
        Set<Holding> together = new HashSet<>();
        for (List<Holding> group : groups) {
            if (together.addAll(group)
                    && add(holders.stream().filter(together::contains).toList())) {
                return;
            }
        }
    }

    private void improve(Harm best) {
        least = best;
        List<Holding> ending =
                holders.stream().filter(holding -> harm(holding).pods() == 0).toList();
        List<Holding> others = holders.reversed().subList(ending.size(), holders.size());
        NodeCards left = cards.without(uids(ending));
        if (fits(left)) {
            add(ending);
        } else {
            improve(left, others, new ArrayList<>(ending), Harm.NONE);
        }
    }

    /**
     * Lets further pods leave, as long as that does less harm than the best set.
     *
     * @param others the least harmful first
     */
    private void improve(NodeCards left, List<Holding> others, List<Holding> leaving, Harm harm) {
        for (int i = 0; i < others.size() && checks < MOST_CHECKS; i++) {
            Harm more = harm.plus(harm(others.get(i)));
            if (more.compareTo(least) >= 0) {
                continue;
            }
            checks++;
            if (!fits(left.without(uids(others.subList(i, others.size()))))) {
                return;
            }
            NodeCards without = left.without(uid(others.get(i)));
            leaving.add(others.get(i));
            if (fits(without)) {
                add(holders.stream().filter(leaving::contains).toList());
                least = more;
            } else {
                improve(without, others.subList(i + 1, others.size()), leaving, more);
            }
            leaving.removeLast();
        }
    }

    /** Adds those of the group that must leave: all are removed, then each is put back that can stay. */
    private boolean add(List<Holding> group) {
        NodeCards left = cards.without(uids(group));
        if (!fits(left)) {
            return false;
        }
        List<Holding> leaving = new ArrayList<>();
        for (Holding holding : group) {
            NodeCards with = left.with(holding.holder(), holding.allocation());
            if (fits(with)) {
                left = with;
            } else {
                leaving.add(holding);
            }
        }
        found.add(new Leaving(uids(leaving), harm(leaving)));
        return true;
    }

    private Harm harm(Holding holding) {
        return Objects.requireNonNull(mayLeave.get(uid(holding)));
    }

    private Harm harm(Collection<Holding> holdings) {
        return Harm.sum(holdings.stream().map(this::harm).toList());
    }

    private static String uid(Holding holding) {
        return holding.holder().uid();
    }

    private static List<String> uids(Collection<Holding> holdings) {
        return holdings.stream().map(LeavingSearch::uid).toList();
    }
}
