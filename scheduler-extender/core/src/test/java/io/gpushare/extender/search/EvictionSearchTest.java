package io.gpushare.extender.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.PodBuilder;
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
        ledger.updatePod(PodBuilder.pod(ref("cpu"))
                .on("n1")
                .priority(5, NOON)
                .requesting(Map.of("cpu", "3500m"))
                .build());
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
        ledger.updatePod(PodBuilder.pod(ref("first"))
                .priority(10, NOON)
                .unschedulable(true)
                .heldOn("n1")
                .containers(requests("15", "0"))
                .build());
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
        ledger.updatePod(PodBuilder.pod(ref("p"))
                .priority(priority, NOON)
                .unschedulable(true)
                .containers(requests(String.valueOf(units), cpu))
                .build());
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
        ledger.updatePod(PodBuilder.pod(ref(name))
                .on(node)
                .priority(priority, NOON)
                .terminating(terminating)
                .annotations(AllocationCodec.annotations(
                        TestCluster.memory("GPU-" + card, units), CARDS, "n1", List.of(), NOON))
                .containers(requests(String.valueOf(units), "0"))
                .build());
    }

    private static PodRef ref(String name) {
        return new PodRef("uid-" + name, "default", name);
    }
}
