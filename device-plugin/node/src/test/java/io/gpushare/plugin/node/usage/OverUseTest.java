package io.gpushare.plugin.node.usage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.plugin.node.holdings.TestNode;
import io.gpushare.plugin.node.pod.NodePod;
import io.gpushare.plugin.node.pod.TestPods;
import io.gpushare.plugin.node.usage.OverUse.Offender;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** The attribution of processes to containers, and the pods above their limit. */
class OverUseTest {
    private static final long GIB = 1L << 30;
    private static final long MIB = 1L << 20;
    private static final CardId A = new CardId("GPU-a");
    private static final CardId B = new CardId("GPU-b");
    private static final Inventory CARDS = new Inventory(
            MemoryUnit.GIB,
            null,
            List.of(Card.of("GPU-a", 0, Memory.ofGib(15)), Card.of("GPU-b", 1, Memory.ofGib(15))));
    private static final Instant NOW = TestPods.START;

    private final Map<Long, Cgroup> cgroups = new HashMap<>();
    private final Map<CardId, List<CardProcess>> processes = new HashMap<>();
    private TestNode snapshot = TestNode.of(CARDS);

    @Test
    void eachContainerUsesWhatItsOwnProcessesUse() {
        given(onA("p", 3), "p1");
        given(onA("q", 2), "q1");
        process(1, A, 2 * GIB, "p", "p1");
        process(2, A, GIB / 2, "p", "p1");
        process(3, A, GIB, "q", "q1");
        process(4, A, 5 * GIB, "", "sshd");

        NodeUsage usage = usage();

        assertThat(used(usage, "p")).hasValue(2 * GIB + GIB / 2);
        assertThat(used(usage, "q")).hasValue(GIB);
        assertThat(usage.foreign()).isEqualTo(Map.of(new NodeUsage.Foreign(A, Optional.empty()), 5 * GIB));
        assertThat(usage.foreignOn(A)).isEqualTo(5 * GIB);
        assertThat(usage.foreignOn(B)).isZero();
        assertThat(OverUse.NONE
                        .evaluate(ContainerShare.of(snapshot.holdings()), usage, MemoryUnit.GIB, NOW)
                        .excesses())
                .isEmpty();
    }

    @Test
    void aContainerThatTheApiHasNotReportedIsFoundByItsPod() {
        given(onA("p", 3));
        process(1, A, 2 * GIB, "p", "unreported");
        assertThat(used(usage(), "p")).hasValue(2 * GIB);
    }

    @Test
    void aContainerWithoutProcessesUsesNothingAndOneOfUnknownMemoryIsUnknown() {
        given(onA("idle", 3), "i1");
        given(onA("odd", 3), "o1");
        processes.put(A, List.of(new CardProcess(1, OptionalLong.empty(), OptionalInt.empty())));
        cgroups.put(1L, new Cgroup(Optional.empty(), Optional.of("o1")));
        assertThat(used(usage(), "idle")).hasValue(0);
        assertThat(used(usage(), "odd")).isEmpty();
    }

    @Test
    void withoutVisibleProcessesNoUsageIsReported() {
        given(onA("p", 3), "p1");
        processes.put(A, List.of(new CardProcess(1, OptionalLong.of(GIB), OptionalInt.empty())));
        NodeUsage usage = usage();
        assertThat(usage.containers()).isEmpty();
        assertThat(ContainerShare.of(snapshot.holdings()))
                .allMatch(held -> usage.of(held).isEmpty());
        assertThat(usage.foreign()).isEmpty();
    }

    @Test
    void aProcessOnACardOfWhichItsContainerHasNoShareIsForeign() {
        NodePod p = onA("p", 3);
        NodePod uninvited = TestPods.withoutDemand("uninvited");
        NodePod unknown = TestPods.unannotated("unknown", 0, TestPods.memory("main", 2));
        given(p, "p1");
        given(uninvited, List.of(), Map.of("u1", "main"));
        given(unknown, List.of(), Map.of("n1", "main"));
        process(1, A, GIB, "p", "p1");
        process(2, B, 2 * GIB, "p", "p1");
        process(3, A, 4 * GIB, "uninvited", "u1");
        process(4, A, 8 * GIB, "unknown", "n1");
        process(5, B, 16 * GIB, "uninvited", "unreported");
        process(6, A, 32 * GIB, "p", "p1");
        cgroups.remove(6L); // it has ended

        NodeUsage usage = usage();

        assertThat(usage.foreign())
                .isEqualTo(Map.of(
                        new NodeUsage.Foreign(B, Optional.of(p.ref())), 2 * GIB,
                        new NodeUsage.Foreign(A, Optional.of(uninvited.ref())), 4 * GIB,
                        new NodeUsage.Foreign(B, Optional.of(uninvited.ref())), 16 * GIB));
        assertThat(usage.foreignOn(B)).isEqualTo(18 * GIB);
    }

    @Test
    void aContainerAboveItsLimitIsReportedOnceAndItsNeighbourNever() {
        given(onA("greedy", 2), "g1");
        given(onA("modest", 2), "m1");
        process(1, A, 5 * GIB - 1, "greedy", "g1");
        process(2, A, 2 * GIB, "modest", "m1");

        OverUse.Found first = look(OverUse.NONE, NOW);
        assertThat(first.unreported()).singleElement().satisfies(excess -> {
            assertThat(excess.share().pod().name()).isEqualTo("greedy");
            assertThat(excess.neededUnits()).isEqualTo(5);
        });
        OverUse.Found later = look(first.next(), NOW.plusSeconds(300));
        assertThat(later.unreported()).isEmpty();
        assertThat(later.excesses()).hasSize(1);
        process(3, A, GIB, "greedy", "g1");
        assertThat(look(later.next(), NOW.plusSeconds(500)).unreported()).isEmpty();
        assertThat(look(later.next(), NOW.plusSeconds(700)).unreported()).hasSize(1);
        assertThat(look(first.next(), NOW.plus(Duration.ofHours(1))).unreported())
                .hasSize(1);
    }

    /** By NVML a process that fills its limit under MPS is 2 MiB above it. */
    @Test
    void eachProcessMayUseAnAllowanceAboveTheLimit() {
        given(onA("full", 2), "f1");
        given(onA("greedy", 2), "g1");
        process(1, A, 2 * GIB + 2 * MIB, "full", "f1");
        process(2, A, 2 * GIB + 9 * MIB, "greedy", "g1");
        OverUse.Found found = look(OverUse.NONE, NOW);
        assertThat(found.excesses())
                .extracting(excess -> excess.share().pod().name())
                .containsExactly("greedy");
        assertThat(found.unreported())
                .extracting(OverUse.Excess::usedBytes, OverUse.Excess::neededUnits)
                .containsExactly(tuple(2 * GIB + 9 * MIB, 3L));
        assertThat(found.offenders()).extracting(each -> each.pod().name()).containsExactly("greedy");

        // Each of two processes, but not their sum beyond that.
        processes.clear();
        process(1, A, GIB + 2 * MIB, "full", "f1");
        process(2, A, GIB + 14 * MIB, "full", "f1");
        assertThat(look(OverUse.NONE, NOW).excesses()).isEmpty();
        process(3, A, 9 * MIB, "full", "f1");
        assertThat(look(OverUse.NONE, NOW).excesses()).hasSize(1);
    }

    @Test
    void offendersAreOrderedByTheirExcess() {
        given(onA("one", 1), "1");
        given(onA("two", 6), "2");
        process(1, A, 2 * GIB, "one", "1");
        process(2, A, 9 * GIB, "two", "2");
        OverUse.Found first = look(OverUse.NONE, NOW);
        assertThat(first.offenders()).extracting(each -> each.pod().name()).containsExactly("two", "one");
        assertThat(look(first.next(), NOW.plusSeconds(60)).offenders())
                .extracting(Offender::since)
                .containsOnly(NOW);

        // Once it is below its limit, its time restarts.
        processes.clear();
        OverUse.Found within = look(first.next(), NOW.plusSeconds(65));
        assertThat(within.offenders()).isEmpty();
        process(1, A, 2 * GIB, "one", "1");
        assertThat(look(within.next(), NOW.plusSeconds(70)).offenders())
                .extracting(Offender::since)
                .containsExactly(NOW.plusSeconds(70));
    }

    @Test
    void aPodBelowItsLimitIsNoOffenderEvenIfOneOfItsContainersIsAboveItsOwn() {
        List<ContainerAllocation> two = List.of(gets("main", A, 2), gets("side", A, 4));
        NodePod pod = TestPods.unannotated("p", 0, TestPods.memory("main", 2), TestPods.memory("side", 4));
        given(pod, two, Map.of("c1", "main", "c2", "side"));
        process(1, A, 5 * GIB, "p", "c1");
        process(2, A, GIB, "p", "c2");
        OverUse.Found found = look(OverUse.NONE, NOW);
        assertThat(found.unreported())
                .extracting(excess -> excess.share().container())
                .containsExactly("main");
        assertThat(found.offenders()).isEmpty();
    }

    @Test
    void aContainerWithTheWholeCardMayUseAllOfIt() {
        NodePod pod = TestPods.unannotated("w", 0, TestPods.cards("main", 1));
        given(
                pod,
                List.of(new ContainerAllocation("main", ContainerRole.APP, Map.of(B, Share.WHOLE_CARD))),
                Map.of("w1", "main"));
        process(1, B, 15 * GIB, "w", "w1");
        OverUse.Found found = look(OverUse.NONE, NOW);
        assertThat(found.excesses()).isEmpty();
        assertThat(found.offenders()).isEmpty();
        assertThat(ContainerShare.of(snapshot.holdings()))
                .singleElement()
                .matches(held -> held.memory().equals(Memory.ofGib(15)));
    }

    private OverUse.Found look(OverUse before, Instant now) {
        return before.evaluate(ContainerShare.of(snapshot.holdings()), usage(), MemoryUnit.GIB, now);
    }

    private NodeUsage usage() {
        Map<CardId, CardUtilization> cards = new HashMap<>();
        for (CardId card : List.of(A, B)) {
            cards.put(card, TestUsages.of(processes.getOrDefault(card, List.of())));
        }
        return NodeUsage.NONE.next(
                new CardUsages(NOW, cards), pid -> Optional.ofNullable(cgroups.get(pid)), snapshot.holdings());
    }

    private OptionalLong used(NodeUsage usage, String pod) {
        return ContainerShare.of(snapshot.holdings()).stream()
                .filter(held -> held.pod().name().equals(pod))
                .findFirst()
                .flatMap(usage::of)
                .orElseThrow()
                .bytes();
    }

    private void process(long pid, CardId card, long bytes, String pod, String container) {
        List<CardProcess> all = new ArrayList<>(processes.getOrDefault(card, List.of()));
        all.add(new CardProcess(pid, OptionalLong.of(bytes), OptionalInt.of(25)));
        processes.put(card, all);
        Optional<String> uid = snapshot.pods().values().stream()
                .filter(each -> each.ref().name().equals(pod))
                .map(each -> each.ref().uid())
                .findFirst();
        cgroups.put(pid, container.equals("sshd") ? Cgroup.OF_THE_NODE : new Cgroup(uid, Optional.of(container)));
    }

    private static NodePod onA(String name, int units) {
        return TestPods.onCard(name, 0, A, units);
    }

    private static ContainerAllocation gets(String name, CardId card, int units) {
        return new ContainerAllocation(name, ContainerRole.APP, Map.of(card, Share.memory(units)));
    }

    /** The pod's container has that ID. */
    private void given(NodePod pod, String... containerId) {
        Allocation allocation = pod.allocation().valid().orElseThrow();
        Map<String, String> started = containerId.length == 0 ? Map.of() : Map.of(containerId[0], "main");
        given(pod, allocation.containers(), started);
    }

    private void given(NodePod pod, List<ContainerAllocation> gets, Map<String, String> started) {
        snapshot = snapshot.withPod(TestPods.started(pod, started));
        for (ContainerAllocation each : gets) {
            snapshot = snapshot.holds(pod.ref(), each);
        }
    }
}
