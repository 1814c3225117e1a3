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
import io.gpushare.plugin.node.usage.TestUsages;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Processes 1 and 2 are of a container with a memory share, process 3 is of the node. */
class BypassesTest {
    private static final CardId A = new CardId("GPU-a");
    private static final Duration GRACE = Duration.ofSeconds(2);
    private static final Cgroup CGROUP = new Cgroup(Optional.of("uid-p"), Optional.of("c1"));

    private final Map<Long, Long> starts = new HashMap<>(Map.of(1L, 100L, 2L, 200L, 3L, 300L));
    private final Bypasses bypasses = new Bypasses(
            GRACE,
            pid -> starts.containsKey(pid) ? OptionalLong.of(starts.getOrDefault(pid, 0L)) : OptionalLong.empty());
    private Instant now = TestPods.START;

    @Test
    void aProcessOfAContainerIsTerminatedOnceAfterTheGraceTime() {
        assertThat(evaluate(1)).isEmpty();
        now = now.plus(GRACE);
        assertThat(evaluate(1)).containsExactly(1L);
        assertThat(bypasses.terminating(A)).containsExactly(1L);
        assertThat(bypasses.terminating(new CardId("GPU-b"))).isEmpty();
        assertThat(evaluate(1)).isEmpty();
        assertThat(evaluate()).isEmpty();
        assertThat(bypasses.terminating(A)).isEmpty();
    }

    @Test
    void aProcessOutsideOfAllContainersIsNot() {
        evaluate(3);
        now = now.plus(GRACE);
        assertThat(evaluate(3)).isEmpty();
        assertThat(bypasses.terminating(A)).isEmpty();
    }

    @Test
    void aLaterProcessOfTheSameNumberHasAGraceTimeOfItsOwn() {
        evaluate(1);
        starts.put(1L, 400L);
        now = now.plus(GRACE);
        assertThat(evaluate(1)).isEmpty();
        starts.remove(1L);
        now = now.plus(GRACE);
        assertThat(evaluate(1)).isEmpty();
    }

    @Test
    void aProcessThatWasNotListedInBetweenBeginsANewGraceTime() {
        evaluate(1, 2);
        evaluate(2);
        now = now.plus(GRACE);
        assertThat(evaluate(1, 2)).containsExactly(2L);
    }

    private List<Long> evaluate(long... bypassing) {
        Inventory cards = new Inventory(MemoryUnit.GIB, null, List.of(Card.of("GPU-a", 0, Memory.ofGib(15))));
        NodePod pod = TestPods.onCard("p", 0, A, 2);
        TestNode snapshot = TestNode.of(cards)
                .withPod(TestPods.started(pod, Map.of("c1", "main")))
                .holds(
                        pod.ref(),
                        pod.allocation().valid().orElseThrow().containers().getFirst());
        List<CardProcess> processes = LongStream.of(1, 2, 3)
                .mapToObj(pid -> new CardProcess(pid, OptionalLong.of(1), OptionalInt.empty()))
                .toList();
        NodeUsage usage = NodeUsage.NONE.next(
                new CardUsages(now, Map.of(A, TestUsages.of(processes))),
                pid -> Optional.of(pid < 3 ? CGROUP : Cgroup.OF_THE_NODE),
                snapshot.holdings());
        return bypasses
                .evaluate(
                        ContainerShare.of(snapshot.holdings()),
                        usage,
                        _ -> LongStream.of(bypassing).boxed().toList(),
                        now)
                .stream()
                .map(Bypasses.Victim::pid)
                .toList();
    }
}
