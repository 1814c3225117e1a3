package io.gpushare.extender.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.Assumption;
import io.gpushare.extender.ledger.ClusterState;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.placement.PlacementOutcomes;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.scheduling.DecideIn;
import io.gpushare.extender.scheduling.NodeSelection;
import io.gpushare.extender.scheduling.TestCluster;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.codec.InventoryCodec;
import io.gpushare.model.request.ContainerResources;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of a node whose device plugin stops to renew its Lease. */
class NodeLeasePollerTest {
    private static final List<String> NODES = List.of("n1", "n2");
    private static final SchedulingPod POD = new SchedulingPod(
            new PodRef("uid-p", "default", "p"),
            0,
            Map.of(),
            List.of(new ContainerResources("main", ContainerRole.APP, Map.of("aliyun.com/gpu-mem", "3"))));

    private final Placer placer = TestCluster.placer();
    private final Ledger ledger = placer.ledger();
    private final NodeSelection selection =
            new NodeSelection(placer, new PlacementOutcomes(() -> 0), DecideIn.PRIORITIZE);
    private final Map<String, String> leases = new HashMap<>(Map.of("n1", "1", "n2", "1"));
    private boolean away;
    private long nanos;
    private final NodeLeasePoller poller = new NodeLeasePoller(this::read, ledger, () -> nanos, () -> TestCluster.NOW);

    @BeforeEach
    void nodes() {
        for (String node : NODES) {
            ledger.updateNode(
                    node,
                    Map.of("gpushare.io/inventory", InventoryCodec.encode(TestCluster.cards(15))),
                    HostResources.NONE);
        }
        poller.step();
    }

    @Test
    void theNodeIsNotOfferedAndItsCardsAreStillShown() {
        renewOnlyN2For(50);
        assertThat(feasible()).containsExactly("n2");
        assertThat(selection.filter(POD, NODES).why(0)).isEqualTo(Reason.NOT_RENEWED);
        assertThat(placer.assume(POD.ref(), TestCluster.demand(ledger, POD), "n1", TestCluster.NOW))
                .isEqualTo(new Assumption.Refused(Reason.NOT_RENEWED));
        ClusterState.NodeView view = ledger.state().node("n1").orElseThrow();
        assertThat(view.unusable()).isEqualTo(Reason.NOT_RENEWED);
        assertThat(view.cards().cards()).hasSize(1);
    }

    @Test
    void theNodeIsOfferedAgainWithTheNextRenewal() {
        renewOnlyN2For(50);
        leases.put("n1", "renewed");
        pass(10);
        assertThat(feasible()).containsExactly("n1", "n2");
        assertThat(ledger.state().node("n1").orElseThrow().unusable()).isNull();
    }

    @Test
    void anOutageOfTheApiServerMakesNoNodeStale() {
        renewOnlyN2For(20);
        away = true;
        for (int i = 0; i < 30; i++) {
            pass(10);
        }
        away = false;
        pass(10);
        assertThat(feasible()).containsExactly("n1", "n2");
        renewOnlyN2For(30);
        assertThat(feasible()).containsExactly("n1", "n2");
        renewOnlyN2For(10);
        assertThat(feasible()).containsExactly("n2");
    }

    @Test
    void renewalsDoNotChangeTheLedgersNodes() {
        var before = ledger.nodeEntries();
        for (int i = 0; i < 20; i++) {
            leases.replaceAll((node, version) -> version + "+");
            pass(10);
        }
        assertThat(ledger.nodeEntries()).isNotEmpty().hasSameSizeAs(before);
        ledger.nodeEntries().forEach((node, entry) -> assertThat(entry).isSameAs(before.get(node)));
    }

    private Map<String, String> read() throws KubernetesException {
        if (away) {
            throw new KubernetesException(0, "no answer", null);
        }
        return Map.copyOf(leases);
    }

    private void renewOnlyN2For(int seconds) {
        for (int passed = 0; passed < seconds; passed += 10) {
            leases.merge("n2", "+", String::concat);
            pass(10);
        }
    }

    private void pass(int seconds) {
        nanos += Duration.ofSeconds(seconds).toNanos();
        poller.step();
    }

    private List<String> feasible() {
        return selection.filter(POD, NODES).feasible();
    }
}
