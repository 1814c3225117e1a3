package io.gpushare.extender.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.ClusterPod;
import io.gpushare.extender.pod.PodPriority;
import io.gpushare.extender.scheduling.TestCluster;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.codec.AllocationCodec;
import io.gpushare.model.codec.InventoryCodec;
import io.gpushare.model.request.ContainerResources;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EvictionSearchTest {
    private static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");
    private static final Inventory CARDS = TestCluster.cards(15, 15);

    private final Placer placer = TestCluster.placer();
    private final Ledger ledger = placer.ledger();

    @BeforeEach
    void addNodes() {
        for (String node : List.of("n1", "n2")) {
            ledger.updateNode(
                    node, Map.of("gpushare.io/inventory", InventoryCodec.encode(CARDS)), new HostResources(4000, 8192));
        }
    }

    @Test
    void theNodeWithTheLeastHarmIsChosen() {
        runs("a", "n1", 0, 15, 5);
        runs("b", "n1", 1, 15, 5);
        runs("c", "n2", 0, 8, 4);
        runs("d", "n2", 0, 7, 4);
        runs("e", "n2", 1, 15, 9);
        assertThat(names(plan(15, 10, Set.of()))).containsExactlyInAnyOrder("c", "d");
        assertThat(names(plan(15, 10, Set.of("uid-c")))).hasSize(1).isSubsetOf("a", "b");
        assertThat(plan(15, 4, Set.of())).isInstanceOf(Plan.NotPossible.class);
    }

    @Test
    void nothingIsEvictedWhileThePodFits() {
        runs("a", "n1", 0, 15, 5);
        assertThat(plan(15, 10, Set.of())).isInstanceOf(Plan.NotNeeded.class);
    }

    @Test
    void podsThatTerminateAnywayAreNotEvictedForIt() {
        for (String node : List.of("n1", "n2")) {
            runs(node + "-a", node, 0, 15, 5);
            runs(node + "-b", node, 1, 15, 5);
        }
        runs("n2-b", "n2", 1, 15, 5, true);
        assertThat(plan(15, 10, Set.of())).isInstanceOfSatisfying(Plan.Leave.class, plan -> {
            assertThat(plan.departures()).singleElement().satisfies(departure -> {
                assertThat(departure.node()).isEqualTo("n2");
                assertThat(departure.pods()).isEmpty();
            });
        });
    }

    @Test
    void ofEqualPodsTheSmallerOneThatSufficesLeaves() {
        runs("seven", "n1", 0, 7, 5);
        runs("eight", "n1", 0, 8, 5);
        runs("b", "n1", 1, 15, 10);
        runs("c", "n2", 0, 15, 10);
        runs("d", "n2", 1, 15, 5);
        assertThat(names(plan(7, 10, Set.of()))).containsExactly("seven");
        assertThat(names(plan(8, 10, Set.of()))).containsExactly("eight");
        assertThat(names(plan(8, 10, Set.of("uid-eight")))).containsExactly("d");
    }

    @Test
    void aNodeWithoutTheCpuIsNoCandidate() {
        runs("a", "n1", 0, 15, 5);
        runs("b", "n1", 1, 15, 5);
        runs("c", "n2", 0, 15, 5);
        runs("d", "n2", 1, 15, 5);
        ledger.updatePod(new ClusterPod(
                ref("cpu"),
                "n1",
                false,
                new PodPriority(5, NOON, false),
                false,
                Map.of(),
                List.of(new ContainerResources("main", ContainerRole.APP, Map.of("cpu", "3500m")))));
        PodEntry pod = waits(15, 10, "1");
        assertThat(new ClusterSearch(placer, Question.eviction(pod, _ -> true, Set.of())).plan())
                .isInstanceOfSatisfying(
                        Plan.Leave.class,
                        plan -> assertThat(plan.departures().getFirst().node()).isEqualTo("n2"));
        assertThat(new ClusterSearch(placer, Question.eviction(pod, "n1"::equals, Set.of())).plan())
                .isInstanceOf(Plan.NotPossible.class);
    }

    @Test
    void cardsThatAreHeldForAPodOfTheSamePriorityAreTaken() {
        for (String node : List.of("n1", "n2")) {
            runs(node + "-a", node, 0, 15, 5, node.equals("n1"));
            runs(node + "-b", node, 1, 15, 10);
        }
        ledger.updatePod(new ClusterPod(
                ref("first"),
                null,
                false,
                new PodPriority(10, NOON, false),
                true,
                null,
                "n1",
                Map.of(),
                requests("15", "0")));
        assertThat(names(plan(15, 10, Set.of()))).containsExactly("n2-a");
    }

    private static List<String> names(Plan plan) {
        return ((Plan.Leave) plan)
                .departures().getFirst().pods().stream()
                        .map(pod -> pod.ref().name())
                        .toList();
    }

    private Plan plan(int units, int priority, Set<String> spared) {
        return new ClusterSearch(placer, Question.eviction(waits(units, priority, "0"), _ -> true, spared)).plan();
    }

    private PodEntry waits(int units, int priority, String cpu) {
        ledger.updatePod(new ClusterPod(
                ref("p"),
                null,
                false,
                new PodPriority(priority, NOON, false),
                true,
                Map.of(),
                requests(String.valueOf(units), cpu)));
        return ledger.podEntry("uid-p").orElseThrow();
    }

    private static List<ContainerResources> requests(String units, String cpu) {
        return List.of(
                new ContainerResources("main", ContainerRole.APP, Map.of("aliyun.com/gpu-mem", units, "cpu", cpu)));
    }

    private void runs(String name, String node, int card, int units, int priority) {
        runs(name, node, card, units, priority, false);
    }

    private void runs(String name, String node, int card, int units, int priority, boolean terminating) {
        ledger.updatePod(new ClusterPod(
                ref(name),
                node,
                false,
                new PodPriority(priority, NOON, terminating),
                false,
                AllocationCodec.annotations(TestCluster.memory("GPU-" + card, units), CARDS, "n1", List.of(), NOON),
                requests(String.valueOf(units), "0")));
    }

    private static PodRef ref(String name) {
        return new PodRef("uid-" + name, "default", name);
    }
}
