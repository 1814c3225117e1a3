package io.gpushare.plugin.node.isolation.mps;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.plugin.node.holdings.TestNode;
import io.gpushare.plugin.node.pod.NodePod;
import io.gpushare.plugin.node.pod.TestPods;
import io.gpushare.plugin.node.usage.CardProcess;
import io.gpushare.plugin.node.usage.CardUsages;
import io.gpushare.plugin.node.usage.Cgroup;
import io.gpushare.plugin.node.usage.ContainerShare;
import io.gpushare.plugin.node.usage.NodeUsage;
import io.gpushare.plugin.node.usage.OverUse;
import io.gpushare.plugin.node.usage.TestUsages;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A pod of 2 GiB with processes that start one after another: the higher the number, the newer. */
class OverLimitTest {
    private static final CardId A = new CardId("GPU-a");
    private static final Duration GRACE = Duration.ofSeconds(2);
    private static final Cgroup CGROUP = new Cgroup(Optional.of("uid-p"), Optional.of("c1"));

    private final Map<Long, Long> mib = new HashMap<>();
    private final Map<Long, Long> starts = new HashMap<>();
    private final OverLimit overLimit = new OverLimit(
            GRACE,
            pid -> starts.containsKey(pid) ? OptionalLong.of(starts.getOrDefault(pid, 0L)) : OptionalLong.empty());
    private Instant now = TestPods.START;

    @Test
    void theNewestProcessIsTerminatedAfterTheGraceTime() {
        process(1, 1500);
        process(2, 1500);
        assertThat(evaluate()).isEmpty();
        now = now.plus(GRACE);
        assertThat(evaluate()).containsExactly(2L);
        assertThat(overLimit.terminating(A)).containsExactly(2L);
    }

    @Test
    void aProcessThatFillsItsLimitAndIsAboveItByTheDriverIsNotTerminated() {
        process(1, 2050);
        assertThat(evaluate()).isEmpty();
        now = now.plus(GRACE);
        assertThat(evaluate()).isEmpty();
    }

    @Test
    void theOthersAreNotHeldToWhatATerminatedProcessStillUses() {
        process(1, 1500);
        process(2, 1500);
        evaluate();
        now = now.plus(GRACE);
        assertThat(evaluate()).containsExactly(2L);
        now = now.plusSeconds(1);
        assertThat(evaluate()).isEmpty();

        // It has ended after this measurement.
        starts.remove(2L);
        now = now.plusSeconds(1);
        assertThat(evaluate()).isEmpty();
        mib.remove(2L);
        now = now.plusSeconds(1);
        assertThat(evaluate()).isEmpty();
        assertThat(overLimit.terminating(A)).isEmpty();
    }

    @Test
    void theOthersAreNotHeldToWhatAProcessUsedThatHasEndedByItself() {
        process(1, 1500);
        process(2, 1500);
        evaluate();
        starts.remove(2L);
        now = now.plus(GRACE);
        assertThat(evaluate()).isEmpty();
    }

    @Test
    void theNextOneFollowsIfTheOthersStillExceedTheLimit() {
        process(1, 1500);
        process(2, 1500);
        process(3, 1500);
        evaluate();
        now = now.plus(GRACE);
        assertThat(evaluate()).containsExactly(3L);
        now = now.plusSeconds(1);
        assertThat(evaluate()).containsExactly(2L);
        now = now.plusSeconds(1);
        assertThat(evaluate()).isEmpty();
    }

    private void process(long pid, long memory) {
        mib.put(pid, memory);
        starts.put(pid, 100 * pid);
    }

    private List<Long> evaluate() {
        Inventory cards = new Inventory(MemoryUnit.GIB, null, List.of(Card.of("GPU-a", 0, Memory.ofGib(15))));
        NodePod pod = TestPods.onCard("p", 0, A, 2);
        TestNode snapshot = TestNode.of(cards).withPod(TestPods.started(pod, Map.of("c1", "main")));
        snapshot = snapshot.holds(
                pod.ref(), pod.allocation().valid().orElseThrow().containers().getFirst());
        List<CardProcess> processes = mib.entrySet().stream()
                .map(each ->
                        new CardProcess(each.getKey(), OptionalLong.of(each.getValue() << 20), OptionalInt.empty()))
                .toList();
        NodeUsage usage = NodeUsage.NONE.next(
                new CardUsages(now, Map.of(A, TestUsages.of(processes))),
                _ -> Optional.of(CGROUP),
                snapshot.holdings());
        var excesses = OverUse.NONE
                .evaluate(ContainerShare.of(snapshot.holdings()), usage, MemoryUnit.GIB, now)
                .excesses();
        return overLimit.evaluate(new MpsIsolation.Measured(usage, excesses), Set.of(A), now).stream()
                .map(OverLimit.Victim::pid)
                .toList();
    }
}
