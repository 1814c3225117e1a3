package io.gpushare.extender.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.ledger.PodEntry;
import java.time.Duration;
import java.util.Locale;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Searches on 5,000 nodes with 8 cards each, two or three pods of eight sizes on most of them. */
class DefragTimeTest {
    private static final int NODES = 5000;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @Tag("alone")
    @Test
    void aSearchOnFiveThousandNodesIsBounded() {
        RunningPods cluster = new RunningPods();
        Random random = new Random(1);
        int pods = 0;
        for (int n = 0; n < NODES; n++) {
            String node = "n" + n;
            cluster.node(node, 80, 80, 80, 80, 80, 80, 80, 80);
            for (int card = 0; card < 8; card++) {
                int left = 80;
                for (int i = 0; i < 2 + random.nextInt(2); i++) {
                    int units = 5 * (2 + random.nextInt(7));
                    if (units <= left) {
                        left -= units;
                        pods++;
                        cluster.runs("p" + pods, node, card, units);
                    }
                }
            }
        }
        PodEntry waits = cluster.waits("waits", "aliyun.com/gpu-count", 8);
        Plan cards = measured(
                "whole cards",
                () -> new ClusterSearch(cluster.placer, Question.wholeCards(_ -> true, PodKnowledge.NONE, 10)).plan());
        assertThat(cards).isInstanceOf(Plan.Leave.class);
        measured(
                "a pod of 8 whole cards",
                () -> new ClusterSearch(cluster.placer, Question.moves(waits, _ -> true, PodKnowledge.NONE, 64))
                        .plan());
        PodEntry one = cluster.waits("one", "aliyun.com/gpu-count", 1);
        assertThat(measured(
                        "a pod of 1 whole card",
                        () -> new ClusterSearch(cluster.placer, Question.moves(one, _ -> true, PodKnowledge.NONE, 10))
                                .plan()))
                .isInstanceOf(Plan.Leave.class);
    }

    private static Plan measured(String what, Supplier<Plan> search) {
        long began = System.nanoTime();
        Plan plan = search.get();
        long took = System.nanoTime() - began;
        System.out.printf(Locale.ROOT, "%d nodes, %s: %d ms, %s%n", NODES, what, took / 1_000_000, summary(plan));
        assertThat(Duration.ofNanos(took)).isLessThan(LIMIT);
        return plan;
    }

    private static String summary(Plan plan) {
        return plan instanceof Plan.Leave moves
                ? moves.departures().size() + " freed by " + moves.moves().count() + " moves"
                : plan.getClass().getSimpleName();
    }
}
