package io.gpushare.extender.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.Holding.Standing;
import io.gpushare.extender.pod.ClusterPod;
import io.gpushare.extender.pod.PodSpecSummary;
import io.gpushare.extender.scheduling.TestCluster;
import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.codec.AllocationCodec;
import io.gpushare.model.codec.ContainerResources;
import io.gpushare.model.codec.InventoryCodec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LedgerTest {
    private static final PodRef POD = new PodRef("uid-p", "default", "p");
    private static final List<ContainerResources> THREE =
            List.of(new ContainerResources("main", ContainerRole.APP, Map.of("aliyun.com/gpu-mem", "3")));
    private static final Demand DEMAND =
            TestCluster.DEMANDS.decode(THREE).valid().orElseThrow();
    private static final Map<String, String> INVENTORY =
            Map.of("gpushare.io/inventory", InventoryCodec.encode(TestCluster.cards(15, 15)));

    private final Ledger ledger = TestCluster.ledger();

    @BeforeEach
    void nodes() {
        ledger.nodeSeen("n1", INVENTORY, HostResources.NONE);
        ledger.nodeSeen("n2", INVENTORY, HostResources.NONE);
    }

    @Test
    void whatIsAssumedStaysWhileTheInformerShowsThePodUnbound() {
        ledger.podSeen(pod(null, Map.of()));
        assume("n1");
        ledger.podSeen(pod(null, Map.of("note", "a change of something else")));
        assertThat(used("n1")).isEqualTo(3);
        assertThat(ledger.census().holding(Standing.ASSUMED)).isEqualTo(1);
    }

    @Test
    void aSecondAssumptionElsewhereKeepsTheFirstUntilTheTruthIsKnown() {
        ledger.podSeen(pod(null, Map.of()));
        ledger.doubt(POD, assume("n1"));
        Holding second = assume("n2");
        assertThat(used("n1") + used("n2")).isEqualTo(6);
        ledger.confirm(POD, second, TestCluster.NOW);
        assertThat(used("n1")).isZero();
        assertThat(used("n2")).isEqualTo(3);
    }

    @Test
    void theInformerHasTheLastWord() {
        Holding hold = assume("n1");
        ledger.podSeen(pod("n2", written("GPU-1", 3)));
        ledger.forget(POD, hold);
        ledger.confirm(POD, hold, TestCluster.NOW);
        assertThat(used("n1")).isZero();
        assertThat(used("n2")).isEqualTo(3);
        assertThat(ledger.census().holding(Standing.SEEN)).isEqualTo(1);
    }

    @Test
    void anAnnotationThatIsSpoiltAfterwardsFreesNothing() {
        ledger.podSeen(pod("n1", written("GPU-0", 3)));
        ledger.podSeen(pod("n1", Map.of("gpushare.io/allocation", "{")));
        ledger.podSeen(pod("n1", written("GPU-1", 1)));
        ledger.podSeen(pod("n1", Map.of()));
        assertThat(used("n1")).isEqualTo(3);
        assertThat(ledger.census().unattributed()).isZero();
    }

    @Test
    void anAnnotationOnAPodThatIsNotBoundMeansNothing() {
        ledger.podSeen(pod(null, written("GPU-0", 3)));
        assertThat(ledger.census().holding(Standing.SEEN)).isZero();
        assertThat(used("n1")).isZero();
    }

    @Test
    void aPodBoundWithoutUsIsCountedAsSuchUntilItIsGone() {
        ledger.podSeen(pod("n1", Map.of()));
        assertThat(ledger.census().unattributed()).isEqualTo(1);
        ledger.podGone(POD);
        assertThat(ledger.census().unattributed()).isZero();
    }

    @Test
    void whatPodsHoldOutlivesTheNodesAbsence() {
        ledger.podSeen(pod("n3", written("GPU-0", 3)));
        ledger.nodeSeen("n3", INVENTORY, HostResources.NONE);
        assertThat(used("n3")).isEqualTo(3);
        ledger.nodeGone("n3");
        assertThat(refusal("n3")).isEqualTo(Reason.UNKNOWN_NODE);
        ledger.nodeSeen("n3", INVENTORY, HostResources.NONE);
        assertThat(used("n3")).isEqualTo(3);
        ledger.podGone(POD);
        ledger.nodeGone("n3");
        assertThat(ledger.node("n3")).isEmpty();
    }

    @Test
    void wishesThatAreSpoiltAfterTheBindFreeNothing() {
        Map<String, String> spoilt = new HashMap<>(written("GPU-0", 3));
        spoilt.put("gpushare.io/select", "nonsense");
        spoilt.put("gpushare.io/cards", "7");
        ledger.podSeen(pod("n1", spoilt));
        assertThat(ledger.census().holding(Standing.SEEN)).isEqualTo(1);
        assertThat(used("n1")).isEqualTo(3);
    }

    @Test
    void absurdAmountsInAnnotationsOfBoundPodsFillTheCardAndBreakNothing() {
        for (int i = 0; i < 3; i++) {
            ledger.podSeen(new ClusterPod(
                    new PodRef("uid-" + i, "default", "huge-" + i),
                    "n1",
                    false,
                    written("GPU-0", Integer.MAX_VALUE),
                    List.of(new ContainerResources(
                            "main", ContainerRole.APP, Map.of("aliyun.com/gpu-mem", "2147483647")))));
        }
        assertThat(ledger.census().holding(Standing.SEEN)).isEqualTo(3);
        assertThat(ledger.node("n1")
                        .orElseThrow()
                        .cards()
                        .cards()
                        .getFirst()
                        .free()
                        .units())
                .isZero();
        assertThat(ledger.node("n1")
                        .orElseThrow()
                        .cards()
                        .cards()
                        .getLast()
                        .free()
                        .units())
                .isEqualTo(15);
    }

    private Holding assume(String node) {
        if (ledger.assume(POD, PodSpecSummary.of(DEMAND, List.of(), Map.of(), Set.of()), node, TestCluster.NOW)
                instanceof Assumption.Assumed(Holding hold, var inventory)) {
            return hold;
        }
        throw new AssertionError("nothing was assumed");
    }

    private @Nullable Reason refusal(String node) {
        return ledger.node(node).map(Ledger.NodeView::unusable).orElse(null);
    }

    private int used(String node) {
        return ledger.node(node).orElseThrow().cards().cards().stream()
                .mapToInt(card -> card.occupied().units())
                .sum();
    }

    private static ClusterPod pod(@Nullable String node, Map<String, String> annotations) {
        return new ClusterPod(POD, node, false, annotations, THREE);
    }

    private static Map<String, String> written(String card, int units) {
        Allocation allocation = TestCluster.memory(card, units);
        return Map.of("gpushare.io/allocation", AllocationCodec.encode(allocation));
    }
}
