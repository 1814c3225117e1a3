package io.gpushare.extender.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.AnnotationObserver;
import io.gpushare.extender.pod.PodBuilder;
import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.extender.policy.Policies;
import io.gpushare.extender.scheduling.TestCluster;
import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.codec.AllocationCodec;
import io.gpushare.model.codec.InventoryCodec;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.pod.PodState;
import io.gpushare.model.request.DemandCodec;
import io.gpushare.model.request.ResourceNames;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Pods that gpushare's extender or HAMi's scheduler bound count by their annotations until the device plugin has
 * written their allocation.
 */
class ForeignPodsTest {
    private static final PodRef POD = new PodRef("uid-p", "default", "p");
    private static final String INVENTORY = InventoryCodec.encode(TestCluster.cards(15, 15));

    private static final String SLOTS =
            InventoryCodec.encode(TestCluster.cards(15, 15).withBeside(Share.ALL_CORES.plus(Share.slots(10))));
    private static final Share PART = Share.memory(3).plus(Share.cores(30)).plus(Share.slots(1));

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
        assertThat(LedgerCounts.of(placer.ledger()).unattributed()).isZero();
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

    /**
     * The index annotation is gone: the plugin counts the pod on every card, and would refuse what was placed there.
     */
    @Test
    void aPodThatGotItsCardAndLostTheIndexHoldsAllCards() {
        Map<String, String> annotations = new HashMap<>(gpushare("0").annotations());
        annotations.remove("ALIYUN_COM_GPU_MEM_IDX");
        ledger.updatePod(pod(annotations));
        assertThat(units()).containsExactly(10, 10);
        ledger.removePod(POD);
        assertThat(units()).containsExactly(0, 0);
    }

    @Test
    void aPodOfWhichTheCardIsUnknownContradictsNobody() {
        List<String> named = new ArrayList<>();
        Ledger observed =
                TestCluster.placer((pod, _, _) -> named.add(pod.name())).ledger();
        observed.updateNode("n1", Map.of("gpushare.io/inventory", INVENTORY), HostResources.NONE);
        observed.updatePod(gpushare("9"));
        observed.updatePod(other("d", "GPU-1", 9));
        assertThat(named).isEmpty();
        // Two of which the cards are known contradict each other.
        observed.updatePod(other("e", "GPU-1", 9));
        assertThat(named).containsExactly("e");
    }

    @Test
    void aPodThatAlsoRequestsWholeCardsHoldsItsMemory() {
        Map<String, String> both = Map.of("aliyun.com/gpu-mem", "10", "aliyun.com/gpu-count", "1");
        ledger.updatePod(PodBuilder.pod(POD)
                .on("n1")
                .annotations(gpushare("1").annotations())
                .requesting(both)
                .build());
        assertThat(units()).containsExactly(0, 10);
    }

    @Test
    void hamisPodHoldsWhatItsAnnotationSaysUntilThePluginHasAdoptedIt() {
        ledger.updateNode("n1", Map.of("gpushare.io/inventory", SLOTS), HostResources.NONE);
        ledger.updatePod(hami("GPU-1,NVIDIA,3000,30:;", Map.of()));
        assertThat(shares()).containsExactly(Share.NONE, PART);
        ledger.updateNode("n1", Map.of(), HostResources.NONE);
        ledger.updateNode("n1", Map.of("gpushare.io/inventory", SLOTS), HostResources.NONE);
        assertThat(shares()).containsExactly(Share.NONE, PART);
        ledger.updatePod(hami("GPU-0,NVIDIA,3000,30:;", Map.of()));
        assertThat(shares()).as("an edited annotation frees nothing").containsExactly(Share.NONE, PART);

        String adopted = AllocationCodec.encode(new Allocation(
                MemoryUnit.GIB,
                List.of(new ContainerAllocation("main", ContainerRole.APP, Map.of(new CardId("GPU-1"), PART)))));
        ledger.updatePod(hami("GPU-0,NVIDIA,3000,30:;", Map.of("gpushare.io/allocation", adopted)));
        assertThat(shares()).containsExactly(Share.NONE, PART);
        ledger.updatePod(hami("GPU-0,NVIDIA,3000,30:;", Map.of()));
        assertThat(shares()).as("a confirmed allocation stays").containsExactly(Share.NONE, PART);
        ledger.removePod(POD);
        assertThat(shares()).containsExactly(Share.NONE, Share.NONE);
    }

    @Test
    void aMalformedAnnotationOfHamisPodHoldsAllCardsAndOneOfAnotherNodeNone() {
        ledger.updateNode("n1", Map.of("gpushare.io/inventory", SLOTS), HostResources.NONE);
        for (String written : List.of("", "x", "GPU-1,NVIDIA,1,30:;", ";".repeat(40_000))) {
            ledger.updatePod(hami(written, Map.of()));
            assertThat(shares()).containsExactly(PART, PART);
            ledger.removePod(POD);
        }
        ledger.updatePod(hami("GPU-1,NVIDIA,3000,30:;", Map.of("hami.io/vgpu-node", "n2")));
        assertThat(shares()).containsExactly(Share.NONE, Share.NONE);
    }

    @Test
    void aBoundPodOfHamiHoldsItsCardWhateverAmountsItRequests() {
        ledger.updateNode("n1", Map.of("gpushare.io/inventory", SLOTS), HostResources.NONE);
        for (String resource : List.of("nvidia.com/gpumem", "nvidia.com/gpumem-percentage", "nvidia.com/gpucores")) {
            for (String amount : List.of("3Gi", "x", "99999999999999999999")) {
                PodState written = hami("GPU-1,NVIDIA,3000,30:;", Map.of());
                ledger.updatePod(PodBuilder.pod(POD)
                        .on("n1")
                        .annotations(written.annotations())
                        .requesting(Map.of("nvidia.com/gpu", "1", resource, amount))
                        .build());
                assertThat(shares().getLast()).as(resource + " " + amount).isNotEqualTo(Share.NONE);
                ledger.removePod(POD);
            }
        }
    }

    @Test
    void hamisAnnotationsAreIgnoredWhereSlotsAreNotCounted() {
        Ledger other = new Placer(
                        new Ledger(new DemandCodec(ResourceNames.DEFAULT), AnnotationObserver.none()),
                        new Policies(PolicyKind.WSP))
                .ledger();
        other.updateNode("n1", Map.of("gpushare.io/inventory", SLOTS), HostResources.NONE);
        other.updatePod(hami("GPU-1,NVIDIA,3000,30:;", Map.of()));
        assertThat(other.state().node("n1").orElseThrow().cards().cards()).allMatch(CardState::unused);
    }

    private List<Share> shares() {
        return ledger.state().node("n1").orElseThrow().cards().cards().stream()
                .map(CardState::allocated)
                .toList();
    }

    private static PodState hami(String devices, Map<String, String> more) {
        Map<String, String> annotations = new HashMap<>();
        annotations.put("hami.io/vgpu-devices-allocated", devices);
        annotations.put("hami.io/vgpu-node", "n1");
        annotations.put("hami.io/bind-phase", "success");
        annotations.putAll(more);
        Map<String, String> requests =
                Map.of("nvidia.com/gpu", "1", "nvidia.com/gpumem", "3000", "nvidia.com/gpucores", "30");
        return PodBuilder.pod(POD)
                .on("n1")
                .annotations(annotations)
                .requesting(requests)
                .build();
    }

    private void node(String inventory) {
        ledger.updateNode("n1", Map.of("gpushare.io/inventory", inventory), HostResources.NONE);
    }

    private static PodState allocated(String card) {
        return pod(Map.of(
                "ALIYUN_COM_GPU_MEM_IDX",
                "1",
                "gpushare.io/allocation",
                AllocationCodec.encode(TestCluster.memory(card, 10))));
    }

    private static PodState gpushare(String index) {
        Map<String, String> annotations = new HashMap<>();
        annotations.put("ALIYUN_COM_GPU_MEM_IDX", index);
        annotations.put("ALIYUN_COM_GPU_MEM_DEV", "15");
        annotations.put("ALIYUN_COM_GPU_MEM_POD", "10");
        annotations.put("ALIYUN_COM_GPU_MEM_ASSIGNED", "true");
        return pod(annotations);
    }

    private static PodState other(String name, String card, int units) {
        return PodBuilder.pod(name)
                .on("n1")
                .annotations(Map.of("gpushare.io/allocation", AllocationCodec.encode(TestCluster.memory(card, units))))
                .requesting("aliyun.com/gpu-mem", units)
                .build();
    }

    private static PodState pod(Map<String, String> annotations) {
        return PodBuilder.pod(POD)
                .on("n1")
                .annotations(annotations)
                .requesting("aliyun.com/gpu-mem", 10)
                .build();
    }

    private List<Integer> units() {
        return ledger.state().node("n1").orElseThrow().cards().cards().stream()
                .map(CardState::allocated)
                .map(share -> share.units())
                .toList();
    }
}
