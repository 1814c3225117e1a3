package io.gpushare.plugin.node.usage;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.plugin.node.holdings.Holder;
import io.gpushare.plugin.node.holdings.TestNode;
import io.gpushare.plugin.node.pod.NodePod;
import io.gpushare.plugin.node.pod.TestPods;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Whose process it is, also where the API does not say. */
class ContainerFinderTest {
    private static final long GIB = 1L << 30;
    private static final CardId A = new CardId("GPU-a");
    private static final Inventory CARDS = new Inventory(
            MemoryUnit.GIB,
            null,
            List.of(Card.of("GPU-a", 0, Memory.ofGib(80)), Card.of("GPU-b", 1, Memory.ofGib(80))));

    private final Map<Long, Cgroup> cgroups = new HashMap<>();
    private final List<CardProcess> processes = new ArrayList<>();

    @Test
    void theContainersOfAPodThatTheApiHasNotNamedHaveTheLimitsThatFitThemBest() {
        TestNode node = pod(Map.of(), 1, 3);
        process("x", 2 * GIB);
        process("x", GIB);
        process("y", GIB);
        assertThat(excesses(node)).isEmpty();

        process("y", GIB);
        assertThat(excesses(node)).containsExactly("c0 of 1 GiB uses 2 GiB");
        assertThat(usage(node).foreign()).isEmpty();
    }

    @Test
    void aContainerThatTheApiHasNamedKeepsItsLimit() {
        process("x", 2 * GIB);
        process("y", GIB);
        assertThat(excesses(pod(Map.of("x", "c0"), 1, 3))).containsExactly("c0 of 1 GiB uses 2 GiB");
        assertThat(excesses(pod(Map.of("y", "c0"), 1, 3))).isEmpty();
    }

    /** The other container, whose share would hold it, computes nothing. */
    @Test
    void aContainerThatTheKubeletsMountsNameKeepsItsLimitWithoutTheApi() {
        TestNode node = pod(Map.of(), 1, 3);
        process("x", GIB);
        process("x", GIB);
        assertThat(excesses(node)).isEmpty();

        // Of one of its processes; the other one may have a mount namespace of its own.
        cgroups.put(2L, new Cgroup(Optional.of("uid-p"), Optional.of("x"), Optional.of("c0")));
        assertThat(excesses(node)).containsExactly("c0 of 1 GiB uses 2 GiB");
        assertThat(usage(node).foreign()).isEmpty();
    }

    /** A container that could not be killed, seen on a real cluster: it used the card "without an allocation". */
    @Test
    void aContainerOfADeletedPodUsesWhatItsClaimStillHas() {
        TestNode node = TestNode.of(CARDS)
                .with(TestNode.claim("c", TestPods.share("gpu", A, 2), new Holder.User(TestPods.ref("p"), "gpu")));
        processes.add(new CardProcess(1, OptionalLong.of(GIB), OptionalInt.empty()));
        cgroups.put(1L, new Cgroup(Optional.of("uid-p"), Optional.of("x"), Optional.of("main")));
        assertThat(usage(node).foreign()).isEmpty();
    }

    @Test
    void aPodHasEndedOnceTheApiHasItNoMoreOrItsShareIsGone() {
        TestNode node = pod(Map.of(), 1);
        String gone = "00000000-1111-4222-8333-444444444444";
        Cgroup ofGone = new Cgroup(Optional.of(gone), Optional.of("a".repeat(64)));
        Cgroup ofStatic = new Cgroup(Optional.of("0".repeat(32)), Optional.of("a".repeat(64)));
        Cgroup ofPod = new Cgroup(Optional.of("uid-p"), Optional.of("x"));
        assertThat(EndedPods.among(
                        List.of(ofGone, ofStatic, ofPod, Cgroup.OF_THE_NODE), node.holdings(), Set.of("uid-p")))
                .containsExactly(gone);

        TestNode other = TestNode.of(CARDS).withPod(TestPods.unannotated("p", 0, TestPods.cards("c0", 1)));
        assertThat(EndedPods.among(List.of(ofPod), other.holdings(), Set.of("uid-p")))
                .containsExactly("uid-p");
        assertThat(EndedPods.among(List.of(ofPod), other.holdings(), Set.of())).isEmpty();
    }

    /** Pod q names a cgroup below its own after the container of p. */
    @Test
    void aContainerOfAnotherPodIsNotThatOfTheCgroup() {
        TestNode node = pod(Map.of("x", "c0"), 1, 3);
        processes.add(new CardProcess(1, OptionalLong.of(9 * GIB), OptionalInt.empty()));
        cgroups.put(1L, new Cgroup(Optional.of("uid-q"), Optional.of("x"), Optional.of("c0")));
        assertThat(excesses(node)).isEmpty();
        processes.add(new CardProcess(2, OptionalLong.of(GIB), OptionalInt.empty()));
        cgroups.put(2L, new Cgroup(Optional.of("uid-p"), Optional.of("x")));
        assertThat(excesses(node)).as("nor by its mounts").isEmpty();
    }

    /** The kubelet names its cgroup by a hash, and its mirror pod has another UID. */
    @Test
    void theContainerOfAStaticPodIsFoundByItsId() {
        TestNode node = pod(Map.of("x", "c0"), 1, 1);
        processes.add(new CardProcess(1, OptionalLong.of(9 * GIB), OptionalInt.empty()));
        cgroups.put(1L, new Cgroup(Optional.of("0f".repeat(16)), Optional.of("x")));
        assertThat(usage(node).foreign()).isEmpty();
        assertThat(excesses(node)).hasSize(1);
    }

    @Test
    void moreContainersThanSharesAreNotMisattributed() {
        TestNode node = pod(Map.of(), 1, 1);
        process("x", GIB);
        process("y", GIB);
        process("z", GIB);
        assertThat(excesses(node)).isEmpty();
        assertThat(usage(node).foreign()).isEmpty();
    }

    /** As of a pod that the API has not reported, or of which nothing but a record is known. */
    @Test
    void aPodThatTheApiDoesNotReportHasItsLimit() {
        TestNode node = TestNode.of(CARDS).holds(TestPods.ref("p"), TestPods.share("c0", A, 2));
        process("x", 2 * GIB);
        assertThat(excesses(node)).isEmpty();
        process("x", GIB);
        assertThat(excesses(node)).containsExactly("c0 of 2 GiB uses 3 GiB");
        assertThat(usage(node).foreign()).isEmpty();
    }

    /** Against every possible assignment. */
    @Test
    void anExcessIsFoundIfAndOnlyIfNoAssignmentFits() {
        Random random = new Random(7);
        int found = 0;
        for (int round = 0; round < 3000; round++) {
            int[] units = IntStream.range(0, 1 + random.nextInt(4))
                    .map(_ -> 1 + random.nextInt(4))
                    .toArray();
            int[] used = IntStream.range(0, 1 + random.nextInt(units.length))
                    .map(_ -> random.nextInt(6))
                    .toArray();
            cgroups.clear();
            processes.clear();
            for (int i = 0; i < used.length; i++) {
                process("id" + i, used[i] * GIB);
            }
            boolean excess = !excesses(pod(Map.of(), units)).isEmpty();
            boolean expected = units.length > 1 ? !fits(used, units, 0, 0) : used[0] > units[0];
            assertThat(excess)
                    .as("round %d: %s in %s", round, Arrays.toString(used), Arrays.toString(units))
                    .isEqualTo(expected);
            found += excess ? 1 : 0;
        }
        assertThat(found).isBetween(500, 2500);
    }

    private static boolean fits(int[] used, int[] units, int next, int taken) {
        if (next == used.length) {
            return true;
        }
        for (int i = 0; i < units.length; i++) {
            if ((taken & 1 << i) == 0 && used[next] <= units[i] && fits(used, units, next + 1, taken | 1 << i)) {
                return true;
            }
        }
        return false;
    }

    /** A pod with a container of each of these shares of card A. */
    private static TestNode pod(Map<String, String> started, int... units) {
        ContainerAllocation[] containers = IntStream.range(0, units.length)
                .mapToObj(i -> TestPods.share("c" + i, A, units[i]))
                .toArray(ContainerAllocation[]::new);
        NodePod pod = TestPods.annotated(
                TestPods.unannotated(
                        "p",
                        0,
                        IntStream.range(0, units.length)
                                .mapToObj(i -> TestPods.memory("c" + i, units[i]))
                                .toArray(ContainerDemand[]::new)),
                TestPods.allocation(containers));
        TestNode node = TestNode.of(CARDS).withPod(TestPods.started(pod, started));
        for (ContainerAllocation each : containers) {
            node = node.holds(pod.ref(), each);
        }
        return node;
    }

    private void process(String container, long bytes) {
        long pid = processes.size() + 1L;
        processes.add(new CardProcess(pid, OptionalLong.of(bytes), OptionalInt.empty()));
        cgroups.put(pid, new Cgroup(Optional.of("uid-p"), Optional.of(container)));
    }

    private NodeUsage usage(TestNode node) {
        return NodeUsage.NONE.next(
                new CardUsages(TestPods.START, Map.of(A, TestUsages.of(processes))),
                pid -> Optional.ofNullable(cgroups.get(pid)),
                node.holdings());
    }

    private List<String> excesses(TestNode node) {
        return OverUse.NONE
                .evaluate(ContainerShare.of(node.holdings()), usage(node), MemoryUnit.GIB, TestPods.START)
                .excesses()
                .stream()
                .map(excess -> excess.share().container() + " of "
                        + excess.share().memory().bytes() / GIB + " GiB uses " + excess.usedBytes() / GIB + " GiB")
                .toList();
    }
}
