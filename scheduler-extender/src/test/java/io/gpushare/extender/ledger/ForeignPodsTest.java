package io.gpushare.extender.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.ClusterPod;
import io.gpushare.extender.scheduling.TestCluster;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.codec.AllocationCodec;
import io.gpushare.model.codec.ContainerResources;
import io.gpushare.model.codec.InventoryCodec;
import io.gpushare.model.ledger.CardState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Pods that gpushare's extender bound count by its annotations until the device plugin has written their allocation.
 */
class ForeignPodsTest {
    private static final PodRef POD = new PodRef("uid-p", "default", "p");
    private static final String INVENTORY = InventoryCodec.encode(TestCluster.cards(15, 15));

    private final Placer placer = TestCluster.placer();
    private final Ledger ledger = placer.ledger();

    @BeforeEach
    void node() {
        node(INVENTORY);
    }

    @Test
    void theAnnotatedCardIsHeldUntilThePodEnds() {
        ledger.updatePod(gpushare("1"));
        assertThat(units()).containsExactly(0, 10);
        assertThat(placer.stats().unattributed()).isZero();
        ledger.removePod(POD);
        assertThat(units()).containsExactly(0, 0);
    }

    @Test
    void aPodThatIsSeenBeforeItsNodesInventoryHoldsItsCardFromTheInventoryOn() {
        ledger.updateNode("n1", Map.of(), HostResources.NONE);
        ledger.updatePod(gpushare("1"));
        node(INVENTORY);
        assertThat(units()).containsExactly(0, 10);
        node(InventoryCodec.encode(TestCluster.cards(24, 24)));
        assertThat(units()).containsExactly(0, 10);
        ledger.updateNode("n1", Map.of(), HostResources.NONE);
        node(INVENTORY);
        assertThat(units()).containsExactly(0, 10);
    }

    @Test
    void theAllocationThatThePluginWritesReplacesIt() {
        ledger.updatePod(gpushare("1"));
        ledger.updatePod(allocated("GPU-1"));
        assertThat(units()).containsExactly(0, 10);
        node(InventoryCodec.encode(TestCluster.cards(24, 24)));
        assertThat(units()).containsExactly(0, 10);
        // A confirmed allocation is not given up for an older annotation.
        ledger.updatePod(gpushare("0"));
        assertThat(units()).containsExactly(0, 10);
    }

    @Test
    void anAllocationOfAnotherCardFreesNothing() {
        ledger.updatePod(gpushare("1"));
        ledger.updatePod(allocated("GPU-0"));
        assertThat(units()).containsExactly(10, 10);
    }

    @Test
    void anEditedAnnotationFreesNothing() {
        ledger.updatePod(gpushare("1"));
        ledger.updatePod(gpushare("0"));
        ledger.updatePod(pod(Map.of()));
        assertThat(units()).containsExactly(0, 10);
    }

    @Test
    void anIndexThatNamesNoCardHoldsAllCards() {
        for (String index : List.of("-1", "2", "99999999999999999999", "x")) {
            ledger.updatePod(gpushare(index));
            assertThat(units()).containsExactly(10, 10);
            ledger.removePod(POD);
        }
        assertThat(units()).containsExactly(0, 0);
    }

    @Test
    void aPodThatAlsoRequestsWholeCardsHoldsItsMemory() {
        Map<String, String> both = Map.of("aliyun.com/gpu-mem", "10", "aliyun.com/gpu-count", "1");
        ledger.updatePod(new ClusterPod(
                POD,
                "n1",
                false,
                gpushare("1").annotations(),
                List.of(new ContainerResources("main", ContainerRole.APP, both))));
        assertThat(units()).containsExactly(0, 10);
    }

    private void node(String inventory) {
        ledger.updateNode("n1", Map.of("gpushare.io/inventory", inventory), HostResources.NONE);
    }

    private static ClusterPod allocated(String card) {
        return pod(Map.of(
                "ALIYUN_COM_GPU_MEM_IDX",
                "1",
                "gpushare.io/allocation",
                AllocationCodec.encode(TestCluster.memory(card, 10))));
    }

    private static ClusterPod gpushare(String index) {
        Map<String, String> annotations = new HashMap<>();
        annotations.put("ALIYUN_COM_GPU_MEM_IDX", index);
        annotations.put("ALIYUN_COM_GPU_MEM_DEV", "15");
        annotations.put("ALIYUN_COM_GPU_MEM_POD", "10");
        annotations.put("ALIYUN_COM_GPU_MEM_ASSIGNED", "true");
        return pod(annotations);
    }

    private static ClusterPod pod(Map<String, String> annotations) {
        return new ClusterPod(
                POD,
                "n1",
                false,
                annotations,
                List.of(new ContainerResources("main", ContainerRole.APP, Map.of("aliyun.com/gpu-mem", "10"))));
    }

    private List<Integer> units() {
        return ledger.node("n1").orElseThrow().cards().cards().stream()
                .map(CardState::allocated)
                .map(share -> share.units())
                .toList();
    }
}
