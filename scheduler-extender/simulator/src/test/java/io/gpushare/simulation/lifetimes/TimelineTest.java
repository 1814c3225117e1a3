package io.gpushare.simulation.lifetimes;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.extender.policy.KnownNode;
import io.gpushare.model.HostResources;
import io.gpushare.model.card.CardKind;
import io.gpushare.simulation.trace.PodClass;
import io.gpushare.simulation.trace.TimedPod;
import io.gpushare.simulation.trace.TraceNodes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TimelineTest {
    private static final PodRequest SHARE = new PodRequest(0, 0, 4, 0, Set.of());
    private static final PodRequest LARGE = new PodRequest(0, 0, 12, 0, Set.of());
    private static final PodRequest WHOLE = new PodRequest(0, 0, 0, 1, Set.of());

    @Test
    void aPodWaitsUntilAnotherOneEnds() {
        Waits waits = run(1, 1, List.of(new TimedPod(WHOLE, 0, 100), new TimedPod(WHOLE, 30, 50)));
        assertThat(waits.mean(PodClass.WHOLE_CARDS)).isEqualTo((0 + 70) / 2.0);
        assertThat(waits.percentile95(PodClass.WHOLE_CARDS)).isEqualTo(70);
        assertThat(waits.allocated()).isEqualTo(1);
        assertThat(waits.neverStarted()).isZero();
    }

    @Test
    void podsStartInTheOrderInWhichTheyWereQueued() {
        Waits waits = run(
                1,
                1,
                List.of(
                        new TimedPod(WHOLE, 0, 100),
                        new TimedPod(LARGE, 10, 100),
                        new TimedPod(SHARE, 20, 100),
                        new TimedPod(LARGE, 30, 100)));
        assertThat(waits.mean(PodClass.SMALL_SHARE)).isEqualTo(80);
        assertThat(waits.mean(PodClass.LARGE_SHARE)).isEqualTo((90 + 170) / 2.0);
    }

    @Test
    void aPodIsNotTriedAgainBeforeItsBackoff() {
        Waits waits = run(
                1, 1, List.of(new TimedPod(WHOLE, 0, 100), new TimedPod(WHOLE, 100, 1), new TimedPod(WHOLE, 100, 1)));
        // The last one is tried at 100 and may be tried again at 101.
        assertThat(waits.percentile95(PodClass.WHOLE_CARDS)).isEqualTo(1);
        Waits tied =
                run(1, 1, List.of(new TimedPod(WHOLE, 0, 10), new TimedPod(WHOLE, 9, 5), new TimedPod(LARGE, 9, 5)));
        assertThat(tied.mean(PodClass.WHOLE_CARDS)).isEqualTo(0.5);
        // Tried at 9, at 10, and after two seconds more; the card is free at 15.
        assertThat(tied.mean(PodClass.LARGE_SHARE)).isEqualTo(6);
    }

    @Test
    void wholeCardJobsThatWaitBesideScatteredFreeMemoryAreCounted() {
        // Two pods of 12 fit no card of 16 together: 16 units are free on four cards.
        List<TimedPod> pods = new ArrayList<>(Collections.nCopies(4, new TimedPod(LARGE, 0, 3600)));
        pods.add(new TimedPod(WHOLE, 0, 10));
        assertThat(run(4, 1, pods).besideFree()).isEqualTo(3600);
        // On three cards only 12 are free: it waits for memory.
        pods.removeFirst();
        assertThat(run(3, 1, pods).besideFree()).isZero();
    }

    @Test
    void aJobThatFitsNoNodeNeverStarts() {
        Waits waits =
                run(2, 4, List.of(new TimedPod(new PodRequest(0, 0, 0, 8, Set.of()), 0, 5), new TimedPod(SHARE, 0, 5)));
        assertThat(waits.neverStarted()).isEqualTo(1);
        assertThat(waits.has(PodClass.EIGHT_CARDS)).isFalse();
    }

    private static Waits run(int count, int cards, List<TimedPod> pods) {
        List<CardKind> kinds = Collections.nCopies(cards, new CardKind("T4", 16));
        List<KnownNode> nodes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            nodes.add(TraceNodes.node("node-" + i, 0, new HostResources(64_000, 262_144), kinds));
        }
        return new Timeline(nodes, PolicyKind.ADAPTIVE, pods, 1).run();
    }
}
