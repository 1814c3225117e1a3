package io.gpushare.model.ledger;

import io.gpushare.model.card.CardLinks;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;

/**
 * Chooses cards by their links: those closest to each other, summed over all pairs. Among equal choices it takes the
 * one that leaves the other free cards closest to each other, so that well-linked groups stay whole, and then the first
 * in the order of the cards.
 */
final class BestLinked {
    // All sets of this many cards are tried: at most 12,870.
    private static final int TRIED = 16;

    private final List<CardState> tried;
    private final int[][] closeness;
    private final int free;

    /**
     * Prepares a choice.
     *
     * @param first a valid choice
     * @param candidates all cards that may be chosen, the preferred ones first; only the first of many are tried
     */
    private BestLinked(CardLinks links, List<CardState> first, List<CardState> candidates) {
        Set<CardState> some = new LinkedHashSet<>(first);
        candidates.stream().limit(Math.max(0, TRIED - first.size())).forEach(some::add);
        tried = candidates.stream().filter(some::contains).toList();
        closeness = new int[tried.size()][tried.size()];
        int unused = 0;
        for (int i = 0; i < tried.size(); i++) {
            unused |= tried.get(i).offers(tried.get(i).card().id().whole()) ? 1 << i : 0;
            for (int j = 0; j < i; j++) {
                closeness[i][j] = links.closeness(
                        tried.get(i).card().id(), tried.get(j).card().id());
            }
        }
        free = unused;
    }

    /**
     * Chooses as many of the candidates as {@code first} has, which is a valid choice of them.
     *
     * @param mostFree the most free cards that it may take
     */
    static List<CardState> choose(
            CardLinks links, List<CardState> first, Collection<CardState> candidates, int mostFree) {
        if (first.isEmpty() || first.size() > TRIED || links.links().isEmpty()) {
            return first;
        }
        BestLinked choice = new BestLinked(links, first, List.copyOf(candidates));
        return choice.best(first.size(), set -> Integer.bitCount(set & choice.free) <= mostFree);
    }

    private List<CardState> best(int count, IntPredicate allowed) {
        int best = 0;
        long bestInside = -1;
        long bestOutside = -1;
        for (int set = first(count); set < 1 << tried.size(); set = next(set)) {
            if (!allowed.test(set)) {
                continue;
            }
            long inside = closeness(set);
            long outside = inside < bestInside ? -1 : closeness(free & ~set);
            if (inside > bestInside
                    || (inside == bestInside
                            && (outside > bestOutside || (outside == bestOutside && comesFirst(set, best))))) {
                best = set;
                bestInside = inside;
                bestOutside = outside;
            }
        }
        return cards(best);
    }

    private static int first(int count) {
        return (1 << count) - 1;
    }

    /** The next larger number with as many bits. */
    private static int next(int set) {
        int lowest = Integer.lowestOneBit(set);
        int carried = set + lowest;
        return carried | ((set ^ carried) >>> 2) / lowest;
    }

    /** Whether the set has the first card in which the two differ. */
    private static boolean comesFirst(int set, int other) {
        return (set & Integer.lowestOneBit(set ^ other)) != 0;
    }

    private long closeness(int set) {
        long sum = 0;
        for (int i = 0; i < tried.size(); i++) {
            if ((set >> i & 1) == 1) {
                for (int j = 0; j < i; j++) {
                    sum += (set >> j & 1) == 1 ? closeness[i][j] : 0;
                }
            }
        }
        return sum;
    }

    private List<CardState> cards(int set) {
        List<CardState> cards = new ArrayList<>();
        for (int i = 0; i < tried.size(); i++) {
            if ((set >> i & 1) == 1) {
                cards.add(tried.get(i));
            }
        }
        return cards;
    }
}
