package io.gpushare.extender.preemption;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.PodBuilder;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.scheduling.TestCluster;
import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.codec.AllocationCodec;
import io.gpushare.model.codec.InventoryCodec;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.ledger.Placement;
import io.gpushare.model.request.ContainerResources;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PreemptionTest {
    private static final Map<String, Victims> CANDIDATES = Map.of("n1", new Victims(List.of(), 0));

    private final Placer placer = TestCluster.placer();
    private final Ledger ledger = placer.ledger();
    private final Preemption preemption = new Preemption(placer);

    @BeforeEach
    void oneCardIsFull() {
        node(TestCluster.cards(16), "16");
    }

    /** Replaces the node's cards; its pods are placed one after the other: uid-0, uid-1, ... */
    private void node(Inventory inventory, String... units) {
        ledger.updateNode(
                "n1", Map.of("gpushare.io/inventory", InventoryCodec.encode(inventory)), new HostResources(0, 0));
        NodeCards cards = NodeCards.of(inventory);
        for (int i = 0; i < units.length; i++) {
            PodRef pod = new PodRef("uid-" + i, "default", "pod-" + i);
            Demand demand = TestCluster.DEMANDS
                    .decode(requesting(units[i]), Map.of())
                    .valid()
                    .orElseThrow();
            Placement placement = cards.place(demand);
            assertThat(placement).isInstanceOf(Placement.Placed.class);
            Allocation allocation = ((Placement.Placed) placement).allocation();
            cards = cards.with(pod, allocation);
            ledger.updatePod(PodBuilder.pod(pod)
                    .on("n1")
                    .annotations(AllocationCodec.annotations(allocation, inventory, "n1", List.of(), TestCluster.NOW))
                    .containers(requesting(units[i]))
                    .build());
        }
    }

    @Test
    void aPodOfHigherPriorityGetsAVictim() {
        assertThat(preemption.preempt(pod("16", Map.of()), CANDIDATES))
                .containsExactly(Map.entry("n1", new Victims(List.of("uid-0"), 0)));
    }

    @Test
    void aPodWithAnUnknownPolicyGetsNoVictims() {
        assertThat(preemption.preempt(pod("16", Map.of("gpushare.io/policy", "nonsense")), CANDIDATES))
                .isEmpty();
    }

    @Test
    void aPodWithAnUnreadableRequestGetsNoVictims() {
        assertThat(preemption.preempt(pod("sixteen", Map.of()), CANDIDATES)).isEmpty();
    }

    @Test
    void aPodWithoutGpuKeepsTheCandidatesOfKubeScheduler() {
        assertThat(preemption.preempt(pod("0", Map.of()), CANDIDATES)).isEqualTo(CANDIDATES);
    }

    @Test
    void kubeSchedulerEvictsNoneWhereThisExtenderEvictsFewerAlsoBeforeTheWatchShowsThePod() {
        node(TestCluster.cards(16, 16), "16", "8", "8");
        Map<String, Victims> two = Map.of("n1", new Victims(List.of("uid-1", "uid-2"), 0));
        Preemption auto = new Preemption(placer, PreemptionMode.AUTO, _ -> true);
        assertThat(auto.preempt(pod("16", Map.of()), two)).isEmpty();
        assertThat(preemption.preempt(pod("16", Map.of()), two)).isEqualTo(two);
    }

    private static SchedulingPod pod(String units, Map<String, String> annotations) {
        return new SchedulingPod(new PodRef("uid-new", "default", "new"), 100, annotations, requesting(units));
    }

    private static List<ContainerResources> requesting(String units) {
        return List.of(new ContainerResources("main", ContainerRole.APP, Map.of("aliyun.com/gpu-mem", units)));
    }
}
