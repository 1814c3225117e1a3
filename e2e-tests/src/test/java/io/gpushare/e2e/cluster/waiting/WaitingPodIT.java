package io.gpushare.e2e.cluster.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.e2e.cluster.Cluster;
import io.gpushare.e2e.cluster.PodWatch;
import io.gpushare.e2e.cluster.Pods;
import io.gpushare.e2e.cluster.SharedCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests preemption on a real kube-scheduler, and how long pods wait after memory becomes free. Each case runs
 * {@code -Dgpushare.rounds} times, by default 3, and prints its longest time.
 */
@Tag("cluster")
@ExtendWith(SharedCluster.Extension.class)
@Tag("release")
class WaitingPodIT {
    private static final int ROUNDS = Integer.getInteger("gpushare.rounds", 3);
    private static final String MEMORY = "aliyun.com/gpu-mem: ";
    private static final String CARDS = "aliyun.com/gpu-count: ";
    // The kubelet's nodeStatusUpdateFrequency.
    private static final Duration NODE_STATUS = Duration.ofSeconds(10);
    private static final Duration SOON = Duration.ofSeconds(2);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Random RANDOM = new Random(20261120);

    private static Cluster cluster;
    private static Pods pods;
    private static PodWatch watch;

    @BeforeAll
    static void install(SharedCluster shared) {
        cluster = shared.cluster();
        pods = shared.pods();
        shared.withPrograms();
        for (String priority : List.of("low: 10", "high: 1000")) {
            String[] parts = priority.split(": ");
            cluster.kubectl().apply("""
                apiVersion: scheduling.k8s.io/v1
                kind: PriorityClass
                metadata: {name: %s}
                value: %s
                """.formatted(parts[0], parts[1]));
        }
        watch = cluster.kubectl().watchPods();
    }

    @AfterAll
    static void stop() {
        if (watch != null) {
            watch.close();
        }
    }

    @AfterEach
    void clean() {
        pods.deleteEverything();
    }

    @Test
    void aPodOfHighPriorityEvictsOneOfLowPriorityAndGetsItsCard() {
        worst("preemption, from the victim's end to the binding", SOON, round -> {
            create("low-a" + round, "low", MEMORY + 15);
            create("low-b" + round, "low", MEMORY + 15);
            pods.running("low-a" + round);
            pods.running("low-b" + round);
            create("high" + round, "high", MEMORY + 15);
            return afterEviction(round);
        });
    }

    private static Duration afterEviction(int round) {
        pods.running("high" + round);
        // A victim can have ended, so that its card is free, before the kubelet deletes the pod.
        List<String> names = pods.all()
                .valueStream()
                .filter(pod -> pod.at("/status/phase").asText().matches("Pending|Running"))
                .map(pod -> pod.at("/metadata/name").asText())
                .sorted()
                .toList();
        assertThat(names).hasSize(2).contains("high" + round);
        String victim = names.contains("low-a" + round) ? "low-b" + round : "low-a" + round;
        return watch.fromEndToBinding(victim, "high" + round, PATIENCE);
    }

    @Test
    void aWaitingMemoryPodIsBoundSoonAfterItsMemoryIsFree() {
        worst("a waiting memory pod, from the end of the other to the binding", SOON, round -> {
            create("eight-a" + round, "low", MEMORY + 8);
            create("eight-b" + round, "low", MEMORY + 8);
            pods.running("eight-a" + round);
            pods.running("eight-b" + round);
            create("ten" + round, "low", MEMORY + 10);
            pods.refused("ten" + round, "Insufficient GPU Memory in one device");
            pauseUpTo(3000);
            pods.delete("eight-b" + round);
            return watch.fromEndToBinding("eight-b" + round, "ten" + round, PATIENCE);
        });
    }

    @Test
    void aWaitingWholeCardPodIsBoundSoonAfterTheNodeStatusShowsItsCard() {
        worst(
                "a waiting whole-card pod, from the last memory pod's end to the binding",
                NODE_STATUS.plus(SOON),
                round -> {
                    create("last-a" + round, "low", MEMORY + 8);
                    create("last-b" + round, "low", MEMORY + 8);
                    pods.running("last-a" + round);
                    pods.running("last-b" + round);
                    // Until the node's status shows no free card, the extender may refuse the pod first.
                    create("whole" + round, "low", CARDS + 1);
                    pods.refused("whole" + round, "Insufficient");
                    pauseUpTo(3000);
                    pods.delete("last-b" + round);
                    return watch.fromEndToBinding("last-b" + round, "whole" + round, PATIENCE);
                });
    }

    /** Runs the rounds, prints the times and asserts that all are within the limit. */
    private void worst(String what, Duration limit, IntFunction<Duration> round) {
        List<Long> millis = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            millis.add(round.apply(i).toMillis());
            clean();
        }
        System.out.println(
                "e2e: " + what + ": worst of " + ROUNDS + ": " + Collections.max(millis) + " ms; all: " + millis);
        assertThat(Duration.ofMillis(Collections.max(millis))).as(what).isLessThanOrEqualTo(limit);
    }

    private static void create(String name, String priority, String limit) {
        cluster.kubectl()
                .apply(pods.manifest(name, Map.of("main", limit))
                        .replace("spec:\n", "spec:\n  priorityClassName: " + priority + "\n"));
    }

    private static void pauseUpTo(int millis) {
        try {
            Thread.sleep(RANDOM.nextInt(millis));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }
}
