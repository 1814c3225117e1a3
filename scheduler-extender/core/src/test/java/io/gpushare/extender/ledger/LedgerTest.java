package io.gpushare.extender.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.Holding.Standing;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.AnnotationObserver;
import io.gpushare.extender.pod.PodBuilder;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.policy.Policies;
import io.gpushare.extender.scheduling.TestCluster;
import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.codec.AllocationCodec;
import io.gpushare.model.codec.InventoryCodec;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.pod.PodState;
import io.gpushare.model.request.ContainerResources;
import io.gpushare.model.request.DemandCodec;
import io.gpushare.model.request.ResourceNames;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LedgerTest {
    private static final PodRef POD = new PodRef("uid-p", "default", "p");
    private static final List<ContainerResources> THREE =
            List.of(new ContainerResources("main", ContainerRole.APP, Map.of("aliyun.com/gpu-mem", "3")));
    private static final Map<String, String> INVENTORY =
            Map.of("gpushare.io/inventory", InventoryCodec.encode(TestCluster.cards(15, 15)));

    private final Placer placer = TestCluster.placer();
    private final Ledger ledger = placer.ledger();

    @BeforeEach
    void nodes() {
        ledger.updateNode("n1", INVENTORY, HostResources.NONE);
        ledger.updateNode("n2", INVENTORY, HostResources.NONE);
    }

    @Test
    void anAssumptionIsKeptWhileTheInformerShowsThePodUnbound() {
        ledger.updatePod(pod(null, Map.of()));
        assume("n1");
        ledger.updatePod(pod(null, Map.of("note", "a change of something else")));
        assertThat(used("n1")).isEqualTo(3);
        assertThat(LedgerCounts.of(placer.ledger()).holding(Standing.ASSUMED)).isEqualTo(1);
    }

    @Test
    void aPodThatIsBoundUnderAFormerResourceNameKeepsItsCards() {
        Placer renamed = new Placer(
                new Ledger(
                        new DemandCodec(new ResourceNames("aliyun.com/gpu-mem", "nvidia.com/gpu")),
                        AnnotationObserver.none()),
                new Policies(PolicyKind.WSP));
        renamed.ledger().updateNode("n1", INVENTORY, HostResources.NONE);
        ContainerResources one = new ContainerResources("main", ContainerRole.APP, Map.of("aliyun.com/gpu-count", "1"));
        renamed.ledger()
                .updatePod(PodBuilder.pod(POD)
                        .on("n1")
                        .annotations(
                                Map.of(
                                        "gpushare.io/allocation",
                                        "{\"version\":1,\"unitMiB\":1024,\"containers\":[{\"name\":\"main\",\"cards\":[\"GPU-0\"]}]}"))
                        .containers(List.of(one))
                        .build());
        assertThat(renamed.ledger().nodeEntry("n1").cards().cards())
                .extracting(CardState::takenWhole)
                .containsExactly(true, false);
        // A pod that is not bound yet requests nothing that this extender gives.
        assertThat(renamed.ledger().demand(new SchedulingPod(POD, Map.of(), List.of(one))))
                .isInstanceOf(PodDemand.NoGpu.class);
    }

    @Test
    void aSecondAssumptionOnAnotherNodeKeepsTheFirstUntilOneIsConfirmed() {
        ledger.updatePod(pod(null, Map.of()));
        ledger.markUnknown(POD, assume("n1"));
        Holding second = assume("n2");
        assertThat(used("n1") + used("n2")).isEqualTo(6);
        ledger.confirm(POD, second, TestCluster.NOW);
        assertThat(used("n1")).isZero();
        assertThat(used("n2")).isEqualTo(3);
    }

    @Test
    void theInformerOverridesAnAssumption() {
        Holding hold = assume("n1");
        ledger.updatePod(pod("n2", written("GPU-1", 3)));
        ledger.forget(POD, hold);
        ledger.confirm(POD, hold, TestCluster.NOW);
        assertThat(used("n1")).isZero();
        assertThat(used("n2")).isEqualTo(3);
        assertThat(LedgerCounts.of(placer.ledger()).holding(Standing.SEEN)).isEqualTo(1);
    }

    @Test
    void anAnnotationThatBecomesInvalidFreesNothing() {
        ledger.updatePod(pod("n1", written("GPU-0", 3)));
        ledger.updatePod(pod("n1", Map.of("gpushare.io/allocation", "{")));
        ledger.updatePod(pod("n1", written("GPU-1", 1)));
        ledger.updatePod(pod("n1", Map.of()));
        assertThat(used("n1")).isEqualTo(3);
        assertThat(LedgerCounts.of(placer.ledger()).unattributed()).isZero();
    }

    @Test
    void anEditedAllocationHoldsTheCardsOfBothUntilItIsCorrected() {
        ledger.updatePod(pod("n1", written("GPU-0", 3)));
        ledger.updatePod(pod("n1", written("GPU-1", 3)));
        assertThat(usedByCard("n1")).containsExactly(3, 3);
        ledger.updatePod(pod("n1", written("GPU-0", 3)));
        assertThat(usedByCard("n1")).containsExactly(3, 0);
        ledger.updatePod(pod("n1", written("GPU-1", 3)));
        ledger.removePod(POD);
        assertThat(usedByCard("n1")).containsExactly(0, 0);
    }

    @Test
    void anAnnotationOnAnUnboundPodIsIgnored() {
        ledger.updatePod(pod(null, written("GPU-0", 3)));
        assertThat(LedgerCounts.of(placer.ledger()).holding(Standing.SEEN)).isZero();
        assertThat(used("n1")).isZero();
    }

    @Test
    void aPodBoundByAnotherProgramIsUnattributedUntilItIsDeleted() {
        ledger.updatePod(pod("n1", Map.of()));
        assertThat(LedgerCounts.of(placer.ledger()).unattributed()).isEqualTo(1);
        ledger.removePod(POD);
        assertThat(LedgerCounts.of(placer.ledger()).unattributed()).isZero();
    }

    @Test
    void holdingsAreKeptWhileTheNodeIsAbsent() {
        ledger.updatePod(pod("n3", written("GPU-0", 3)));
        ledger.updateNode("n3", INVENTORY, HostResources.NONE);
        assertThat(used("n3")).isEqualTo(3);
        ledger.removeNode("n3");
        assertThat(refusal("n3")).isEqualTo(Reason.UNKNOWN_NODE);
        ledger.updateNode("n3", INVENTORY, HostResources.NONE);
        assertThat(used("n3")).isEqualTo(3);
        ledger.removePod(POD);
        ledger.removeNode("n3");
        assertThat(ledger.state().node("n3")).isEmpty();
    }

    @Test
    void requirementsThatBecomeInvalidAfterTheBindFreeNothing() {
        Map<String, String> invalid = new HashMap<>(written("GPU-0", 3));
        invalid.put("gpushare.io/select", "nonsense");
        invalid.put("gpushare.io/cards", "7");
        ledger.updatePod(pod("n1", invalid));
        assertThat(LedgerCounts.of(placer.ledger()).holding(Standing.SEEN)).isEqualTo(1);
        assertThat(used("n1")).isEqualTo(3);
    }

    @Test
    void excessiveAmountsInAnnotationsFillTheCard() {
        for (int i = 0; i < 3; i++) {
            ledger.updatePod(PodBuilder.pod(new PodRef("uid-" + i, "default", "huge-" + i))
                    .on("n1")
                    .annotations(written("GPU-0", Integer.MAX_VALUE))
                    .requesting("aliyun.com/gpu-mem", 2147483647)
                    .build());
        }
        assertThat(LedgerCounts.of(placer.ledger()).holding(Standing.SEEN)).isEqualTo(3);
        assertThat(ledger.state()
                        .node("n1")
                        .orElseThrow()
                        .cards()
                        .cards()
                        .getFirst()
                        .free()
                        .units())
                .isZero();
        assertThat(ledger.state()
                        .node("n1")
                        .orElseThrow()
                        .cards()
                        .cards()
                        .getLast()
                        .free()
                        .units())
                .isEqualTo(15);
    }

    private Holding assume(String node) {
        if (placer.assume(
                        POD, TestCluster.demand(ledger, new SchedulingPod(POD, Map.of(), THREE)), node, TestCluster.NOW)
                instanceof Assumption.Assumed(Holding hold, var inventory)) {
            return hold;
        }
        throw new AssertionError("nothing was assumed");
    }

    private @Nullable Reason refusal(String node) {
        return ledger.state().node(node).map(ClusterState.NodeView::unusable).orElse(null);
    }

    private List<Integer> usedByCard(String node) {
        return ledger.state().node(node).orElseThrow().cards().cards().stream()
                .map(state -> state.allocated().units())
                .toList();
    }

    private int used(String node) {
        return ledger.state().node(node).orElseThrow().cards().cards().stream()
                .mapToInt(card -> card.occupied().units())
                .sum();
    }

    /** A watch that breaks may miss a deletion: the new pod of that name then is the first sign of it. */
    @Test
    void anInvalidPodThatWasRecreatedUnseenIsForgotten() {
        Map<String, String> invalid = Map.of("gpushare.io/policy", "nonsense");
        ledger.updatePod(PodBuilder.pod(POD)
                .unschedulable(true)
                .annotations(invalid)
                .containers(THREE)
                .build());
        assertThat(ledger.invalidWaiting()).isEqualTo(1);

        PodRef recreated = new PodRef("uid-q", POD.namespace(), POD.name());
        ledger.updatePod(
                PodBuilder.pod(recreated).unschedulable(true).containers(THREE).build());
        assertThat(ledger.invalidWaiting()).isZero();
    }

    private static PodState pod(@Nullable String node, Map<String, String> annotations) {
        return PodBuilder.pod(POD)
                .on(node)
                .annotations(annotations)
                .containers(THREE)
                .build();
    }

    private static Map<String, String> written(String card, int units) {
        Allocation allocation = TestCluster.memory(card, units);
        return Map.of("gpushare.io/allocation", AllocationCodec.encode(allocation));
    }
}
