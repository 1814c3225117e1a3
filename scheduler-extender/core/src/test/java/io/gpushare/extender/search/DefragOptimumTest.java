package io.gpushare.extender.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.search.SmallestMoves.Pod;
import io.gpushare.model.card.CardId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The plans on random fragmented clusters, step by step, beside the optimum. */
class DefragOptimumTest {
    private static final int CLUSTERS = 300;
    private static final int CARDS = 6;
    private static final int GIB = 16;
    private static final int MOST_PODS = 9;

    @Test
    void plansAreRightAtEachStepAndFreeNearlyAsManyCardsPerPodAsTheOptimum() {
        int freed = 0;
        int moved = 0;
        int optimum = 0;
        int all = 0;
        for (int seed = 0; seed < CLUSTERS; seed++) {
            RunningPods cluster =
                    new RunningPods().node("a", GIB, GIB).node("b", GIB, GIB).node("c", GIB, GIB);
            List<Pod> pods = fill(cluster, new Random(seed));
            List<Departure> plan = plan(cluster, 8);
            int moves = check(pods, plan);
            int[] capacity = new int[CARDS];
            java.util.Arrays.fill(capacity, GIB);
            int best = SmallestMoves.mostFreed(capacity, pods, moves);
            assertThat(plan.size()).as("seed " + seed).isLessThanOrEqualTo(best);
            freed += plan.size();
            moved += moves;
            optimum += best;
            all += SmallestMoves.mostFreed(capacity, pods, 5);
        }
        System.out.printf(
                Locale.ROOT,
                "%d clusters: %d cards freed by %d moves (%.2f per pod moved); the optimum with as many moves: %d"
                        + " (%.2f); the optimum with up to 5 moves each: %d%n",
                CLUSTERS,
                freed,
                moved,
                (double) freed / moved,
                optimum,
                (double) optimum / moved,
                all);
        assertThat(freed).isPositive().isGreaterThanOrEqualTo(optimum * 9 / 10).isGreaterThanOrEqualTo(all * 3 / 4);
    }

    private static List<Pod> fill(RunningPods cluster, Random random) {
        List<Pod> pods = new ArrayList<>();
        int[] left = new int[CARDS];
        java.util.Arrays.fill(left, GIB);
        for (int i = 0; i < MOST_PODS; i++) {
            int card = random.nextInt(CARDS);
            int units = 1 + random.nextInt(10);
            if (units <= left[card]) {
                left[card] -= units;
                pods.add(new Pod("p" + i, card, units));
                cluster.runs("p" + i, node(card), card % 2, units);
            }
        }
        return pods;
    }

    private static String node(int card) {
        return String.valueOf((char) ('a' + card / 2));
    }

    private static List<Departure> plan(RunningPods cluster, int most) {
        return new ClusterSearch(cluster.placer, Question.wholeCards(_ -> true, PodKnowledge.NONE, most)).plan()
                        instanceof Plan.Leave(List<Departure> freed)
                ? freed
                : List.of();
    }

    /** Makes the moves, each of which must fit at its time, and returns their number. */
    private static int check(List<Pod> pods, List<Departure> plan) {
        Map<String, Pod> now = new HashMap<>();
        pods.forEach(pod -> now.put(pod.name(), pod));
        Set<CardId> free = new HashSet<>();
        int moves = 0;
        for (Departure freed : plan) {
            free.addAll(freed.cards());
            for (Move move : freed.moves()) {
                Pod pod = Objects.requireNonNull(now.get(move.pod().name()));
                int to = number(move.cards().iterator().next());
                now.put(pod.name(), new Pod(pod.name(), to, pod.units()));
                assertThat(free).doesNotContainAnyElementsOf(move.cards());
                assertThat(now.values().stream()
                                .filter(each -> each.card() == to)
                                .mapToInt(Pod::units)
                                .sum())
                        .isLessThanOrEqualTo(GIB);
                moves++;
            }
            assertThat(now.values())
                    .noneMatch(
                            pod -> pod.card() == number(freed.cards().iterator().next()));
        }
        assertThat(now.values().stream().map(Pod::card).distinct().count())
                .isEqualTo(pods.stream().map(Pod::card).distinct().count() - plan.size());
        return moves;
    }

    private static int number(CardId card) {
        String[] parts = card.uuid().split("-");
        return 2 * (parts[1].charAt(0) - 'a') + Integer.parseInt(parts[2]);
    }
}
