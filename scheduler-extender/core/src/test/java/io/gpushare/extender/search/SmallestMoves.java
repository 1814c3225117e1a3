package io.gpushare.extender.search;

import java.util.List;

/**
 * The most cards that so many moves could free, by trying every target of every pod. Only the end must fit, not each
 * step, so it is an upper bound.
 */
final class SmallestMoves {
    private final int[] capacity;
    private final List<Pod> pods;
    private final int[] units;
    private final int[] holders;
    private int best;

    record Pod(String name, int card, int units) {}

    private SmallestMoves(int[] capacity, List<Pod> pods) {
        this.capacity = capacity;
        this.pods = pods;
        this.units = new int[capacity.length];
        this.holders = new int[capacity.length];
    }

    static int mostFreed(int[] capacity, List<Pod> pods, int moves) {
        SmallestMoves search = new SmallestMoves(capacity, pods);
        search.place(0, moves);
        return search.best;
    }

    private void place(int index, int moves) {
        if (index == pods.size()) {
            long used = pods.stream().map(Pod::card).distinct().count();
            int now = 0;
            for (int count : holders) {
                now += count > 0 ? 1 : 0;
            }
            best = Math.max(best, (int) used - now);
            return;
        }
        Pod pod = pods.get(index);
        for (int card = 0; card < capacity.length; card++) {
            boolean stays = card == pod.card();
            if ((stays || moves > 0) && units[card] + pod.units() <= capacity[card]) {
                units[card] += pod.units();
                holders[card]++;
                place(index + 1, stays ? moves : moves - 1);
                units[card] -= pod.units();
                holders[card]--;
            }
        }
    }
}
