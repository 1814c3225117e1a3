package io.gpushare.extender.preemption;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.ClusterPod;
import io.gpushare.extender.pod.PodPriority;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.scheduling.TestCluster;
import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.codec.AllocationCodec;
import io.gpushare.model.codec.ContainerResources;
import io.gpushare.model.codec.InventoryCodec;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.ledger.Placement;
import java.time.Instant;
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
        Inventory inventory = TestCluster.cards(16);
        ledger.updateNode(
                "n1", Map.of("gpushare.io/inventory", InventoryCodec.encode(inventory)), new HostResources(0, 0));
        Demand demand = TestCluster.DEMANDS.decode(requesting("16")).valid().orElseThrow();
        Placement placement = NodeCards.of(inventory).place(demand);
        assertThat(placement).isInstanceOf(Placement.Placed.class);
        Allocation allocation = ((Placement.Placed) placement).allocation();
        ledger.updatePod(new ClusterPod(
                new PodRef("uid-old", "default", "old"),
                "n1",
                false,
                new PodPriority(0, Instant.EPOCH, false),
                false,
                AllocationCodec.annotations(allocation, inventory, TestCluster.NOW),
                requesting("16")));
    }

    @Test
    void aPodOfHigherPriorityGetsAVictim() {
        assertThat(preemption.preempt(pod("16", Map.of()), CANDIDATES))
                .containsExactly(Map.entry("n1", new Victims(List.of("uid-old"), 0)));
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

    private static SchedulingPod pod(String units, Map<String, String> annotations) {
        return new SchedulingPod(new PodRef("uid-new", "default", "new"), 100, annotations, requesting(units));
    }

    private static List<ContainerResources> requesting(String units) {
        return List.of(new ContainerResources("main", ContainerRole.APP, Map.of("aliyun.com/gpu-mem", units)));
    }
}
