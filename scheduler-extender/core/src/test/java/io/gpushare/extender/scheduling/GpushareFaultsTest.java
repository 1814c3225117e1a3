package io.gpushare.extender.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.ledger.Assumption;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.LedgerCounts;
import io.gpushare.extender.placement.PlacementOutcomes;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.PodBuilder;
import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.policy.Policies;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.codec.AllocationCodec;
import io.gpushare.model.codec.InventoryCodec;
import io.gpushare.model.pod.PodState;
import io.gpushare.model.request.ContainerResources;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Regression tests for the faults of gpushare's extender, on values; see DESIGN.md for the numbers. */
class GpushareFaultsTest {
    private final List<String> reported = new ArrayList<>();
    private final Placer placer = new Placer(
            new Ledger(TestCluster.DEMANDS, (pod, node, sentence) -> reported.add(pod + ": " + sentence)),
            new Policies(PolicyKind.WSP));
    private final Ledger ledger = placer.ledger();
    private final NodeSelection selection =
            new NodeSelection(placer, new PlacementOutcomes(() -> 0), DecideIn.PRIORITIZE);

    @Test
    void e3ACardOverCommittedByForgedAnnotationsIsFull() {
        inventory("n1", TestCluster.cards(15, 15));
        ledger.updatePod(pod("forged", "n1", 40, written("GPU-0", 40)));
        ledger.updatePod(pod("other", "n1", 14, written("GPU-0", 14)));
        assertThat(free("n1")).containsExactly(0, 15);
        assertThat(feasible(15, "n1")).isTrue();
        assertThat(feasible(16, "n1")).isFalse();
        assertThat(LedgerCounts.of(placer.ledger()).overcommitted()).isEqualTo(1);
    }

    @Test
    void e3ASmallUnitInAForgedAnnotationDoesNotReduceTheAllocation() {
        inventory("n1", TestCluster.cards(15));
        ledger.updatePod(pod("p", "n1", 10, written("GPU-0", 10)));
        String small = AllocationCodec.encode(TestCluster.memory("GPU-0", 10)).replace("1024", "1");
        ledger.updatePod(pod("p", "n1", 10, Map.of("gpushare.io/allocation", small)));
        assertThat(free("n1")).containsExactly(5);
    }

    @Test
    void e4ReadersDoNotFailDuringChanges() throws Exception {
        IntStream.range(0, 20).forEach(i -> inventory("n" + i, TestCluster.cards(15, 15)));
        AtomicBoolean done = new AtomicBoolean();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Integer> reader = threads.submit(() -> {
                int reads = 0;
                while (!done.get() || reads == 0) {
                    assertThat(ledger.state().nodes()).hasSizeGreaterThanOrEqualTo(20);
                    feasible(3, "n1");
                    reads++;
                }
                return reads;
            });
            for (int burst = 0; burst < 20; burst++) {
                for (int i = 0; i < 300; i++) {
                    ledger.updatePod(pod("p" + i, "n" + i % 20, 1, written("GPU-" + i % 2, 1)));
                }
                for (int i = 0; i < 300; i++) {
                    ledger.removePod(new PodRef("uid-p" + i, "default", "p" + i));
                }
            }
            done.set(true);
            assertThat(reader.get()).isPositive();
        }
        assertThat(ledger.state().nodes())
                .hasSizeGreaterThanOrEqualTo(20)
                .allMatch(node -> node.cards().holdings().isEmpty());
    }

    @Test
    void e5APodRecreatedFortyTimesLeavesNothingBehind() {
        inventory("n1", TestCluster.cards(15, 15));
        for (int i = 0; i < 40; i++) {
            // Every second deletion is lost in a gap of the watch.
            if (i % 2 == 0) {
                ledger.removePod(new PodRef("uid-" + (i - 1), "default", "same"));
            }
            ledger.updatePod(PodBuilder.pod(new PodRef("uid-" + i, "default", "same"))
                    .on("n1")
                    .annotations(written("GPU-0", 3))
                    .containers(requesting(3))
                    .build());
            assertThat(free("n1")).containsExactly(12, 15);
        }
        ledger.removePod(new PodRef("uid-39", "default", "same"));
        assertThat(free("n1")).containsExactly(15, 15);
    }

    @Test
    void e7AChangedCapacityIsUsedAndARemovedCardOrNodeIsNotOffered() {
        inventory("n1", TestCluster.cards(15));
        ledger.updatePod(pod("p", "n1", 10, written("GPU-0", 10)));
        inventory("n1", TestCluster.cards(40, 40));
        assertThat(free("n1")).containsExactly(30, 40);
        inventory("n1", TestCluster.cards(40));
        assertThat(feasible(31, "n1")).isFalse();
        inventory("n1", TestCluster.cards());
        assertThat(feasible(1, "n1")).isFalse();
        inventory("n1", TestCluster.cards(15));
        assertThat(free("n1")).as("the pod still holds its memory").containsExactly(5);
        ledger.removePod(new PodRef("uid-p", "default", "p"));
        ledger.removeNode("n1");
        assertThat(ledger.state().nodes()).isEmpty();
    }

    @Test
    void e7bANodeFirstSeenWhileBootingIsRightOnceItHasAnInventory() {
        ledger.updatePod(pod("p", "n1", 10, written("GPU-0", 10)));
        ledger.updateNode("n1", Map.of(), HostResources.NONE);
        assertThat(feasible(1, "n1")).isFalse();
        inventory("n1", TestCluster.cards(15, 15));
        assertThat(free("n1")).containsExactly(5, 15);
    }

    @Test
    void e7cAUsedCardThatDisappearsIsStillUsedWhenItReturns() {
        inventory("n1", TestCluster.cards(15, 15));
        ledger.updatePod(pod("p", "n1", 10, written("GPU-1", 10)));
        inventory("n1", TestCluster.cards(15));
        assertThat(ledger.state().nodes()).hasSize(1);
        assertThat(free("n1")).containsExactly(15);
        inventory("n1", TestCluster.cards(15, 15));
        assertThat(free("n1")).containsExactly(15, 5);
    }

    @Tag("alone")
    @Test
    void e11FilterOfAThousandNodesOfEightCardsTakesMilliseconds() {
        List<String> nodes = IntStream.range(0, 1000).mapToObj(i -> "n" + i).toList();
        nodes.forEach(node -> inventory(node, TestCluster.cards(16, 16, 16, 16, 16, 16, 16, 16)));
        for (int i = 0; i < 8000; i++) {
            ledger.updatePod(pod("p" + i, "n" + i % 1000, 4, written("GPU-" + i % 8, 4)));
        }
        SchedulingPod pod = new SchedulingPod(new PodRef("uid-x", "default", "x"), Map.of(), requesting(3));
        long[] nanos = new long[200];
        for (int i = 0; i < nanos.length; i++) {
            long began = System.nanoTime();
            assertThat(selection.filter(pod, nodes).feasible()).hasSize(1000);
            nanos[i] = System.nanoTime() - began;
        }
        Arrays.sort(nanos);
        System.out.printf("filter of 1000 nodes: p50 %.2f ms, p99 %.2f ms%n", nanos[100] / 1e6, nanos[198] / 1e6);
        assertThat(nanos[100]).as("gpushare takes 70 ms").isLessThan(50_000_000);
    }

    @Test
    void e15AConflictIsRecognizedByItsStatusNotItsText() {
        inventory("n1", TestCluster.cards(15));
        PodState bound = pod("p", "n1", 3, written("GPU-0", 3));
        PodApi api = new PodApi() {
            @Override
            public Optional<PodState> pod(String namespace, String name) {
                return Optional.of(bound);
            }

            @Override
            public void bind(PodRef pod, String node, Map<String, String> annotations) throws Failure {
                throw new Failure(Failure.Reach.ANSWERED, 409, "the message of a later version", new Exception());
            }
        };
        ledger.updatePod(pod("p", null, 3, Map.of()));
        assertThat(new Binder(placer, api, new PlacementOutcomes(() -> 0), () -> TestCluster.NOW)
                        .bind(bound.ref(), "n1", TestCluster.NOW))
                .isEqualTo(new BindResult.Bound(true));
    }

    @Test
    void e16AnInitContainersMemoryIsPlacedAndReserved() {
        inventory("n1", TestCluster.cards(15));
        PodRef pod = new PodRef("uid-i", "default", "i");
        List<ContainerResources> init =
                List.of(new ContainerResources("load", ContainerRole.INIT, Map.of("aliyun.com/gpu-mem", "9")));
        assertThat(selection
                        .filter(new SchedulingPod(pod, Map.of(), init), List.of("n1"))
                        .feasible())
                .containsExactly("n1");
        assertThat(placer.assume(
                        pod, TestCluster.demand(ledger, new SchedulingPod(pod, Map.of(), init)), "n1", TestCluster.NOW))
                .isInstanceOf(Assumption.Assumed.class);
        assertThat(free("n1")).containsExactly(6);
    }

    @Test
    void e17EachCardOfAMixedNodeHasItsOwnSize() {
        inventory("n1", TestCluster.cards(48, 24));
        assertThat(free("n1")).containsExactly(48, 24);
        assertThat(feasible(48, "n1")).isTrue();
        ledger.updatePod(pod("p", "n1", 30, written("GPU-0", 30)));
        assertThat(feasible(25, "n1")).isFalse();
        assertThat(feasible(24, "n1")).isTrue();
    }

    @Test
    void e18APodBoundByAnotherSchedulerIsReportedAndCountedWhenItsAnnotationArrives() {
        inventory("n1", TestCluster.cards(15));
        ledger.updatePod(pod("p", "n1", 10, Map.of()));
        assertThat(LedgerCounts.of(placer.ledger()).unattributed()).isEqualTo(1);
        ledger.updatePod(pod("p", "n1", 10, written("GPU-0", 10)));
        assertThat(LedgerCounts.of(placer.ledger()).unattributed()).isZero();
        assertThat(free("n1")).containsExactly(5);
        assertThat(reported).isEmpty();
    }

    @Test
    void e14ARejectedAnnotationIsReportedOnceAndCounted() {
        inventory("n1", TestCluster.cards(15));
        for (int i = 0; i < 3; i++) {
            ledger.updatePod(pod("malformed", "n1", 3, Map.of("gpushare.io/allocation", "{")));
            ledger.updatePod(pod("less", "n1", 10, written("GPU-0", 1)));
            ledger.updatePod(pod("elsewhere", "n1", 3, written("GPU-9", 3)));
            ledger.updatePod(pod("fits", "n1", 14, written("GPU-0", 14)));
            ledger.updatePod(pod("twice", "n1", 14, written("GPU-0", 14)));
        }
        assertThat(reported).hasSize(4);
        assertThat(reported.get(0)).startsWith("default/malformed: annotation gpushare.io/allocation");
        assertThat(reported.get(1)).startsWith("default/less: ").contains("not what its containers request");
        assertThat(reported.get(2)).startsWith("default/elsewhere: ").contains("does not have, GPU-9");
        assertThat(reported.get(3)).startsWith("default/twice: ").contains("allocate more on card GPU-0 than it has");
        assertThat(ledger.rejectedAnnotations()).isEqualTo(4);
        assertThat(free("n1")).containsExactly(0);
    }

    private void inventory(String node, Inventory inventory) {
        ledger.updateNode(node, Map.of("gpushare.io/inventory", InventoryCodec.encode(inventory)), HostResources.NONE);
    }

    private boolean feasible(int units, String node) {
        SchedulingPod pod = new SchedulingPod(new PodRef("uid-new", "default", "new"), Map.of(), requesting(units));
        return selection.filter(pod, List.of(node)).why(0) == null;
    }

    private List<Integer> free(String node) {
        return ledger.state().node(node).orElseThrow().cards().cards().stream()
                .map(state -> state.free().units())
                .toList();
    }

    private static PodState pod(String name, @Nullable String node, int units, Map<String, String> annotations) {
        return PodBuilder.pod(name)
                .on(node)
                .annotations(annotations)
                .containers(requesting(units))
                .build();
    }

    private static List<ContainerResources> requesting(int units) {
        return List.of(
                new ContainerResources("main", ContainerRole.APP, Map.of("aliyun.com/gpu-mem", String.valueOf(units))));
    }

    private static Map<String, String> written(String card, int units) {
        return Map.of("gpushare.io/allocation", AllocationCodec.encode(TestCluster.memory(card, units)));
    }
}
