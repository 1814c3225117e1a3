package io.gpushare.insight.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.ledger.ClusterState;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.placement.PlacementOutcomes;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.scheduling.DecideIn;
import io.gpushare.extender.scheduling.NodeSelection;
import io.gpushare.extender.scheduling.PodApi;
import io.gpushare.extender.scheduling.TestCluster;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.MigInstance;
import io.gpushare.model.codec.InventoryCodec;
import io.gpushare.model.node.NodeRules;
import io.gpushare.model.pod.PodState;
import io.gpushare.model.request.ContainerResources;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What why says of reservations and of MIG instances. */
class ExplainerTest {
    private final Placer placer = TestCluster.placer();
    private final Ledger ledger = placer.ledger();
    private final PlacementOutcomes outcomes = new PlacementOutcomes(() -> 0);
    private final NodeSelection selection = new NodeSelection(placer, outcomes, DecideIn.FILTER);
    private final TestCluster cluster = new TestCluster(new Random(1), ledger);
    private final Explainer explainer = new Explainer(ledger::state, placer, outcomes, cluster, () -> TestCluster.NOW);

    @Test
    void whySaysForWhomItIsReserved() {
        node(TestCluster.cards(15));
        PodState first = cluster.create("first", Map.of("aliyun.com/gpu-mem", "8"));
        cluster.showAll();
        selection.filter(scheduling(first), List.of("n1"));
        assertThat(explainer.of(pod("late", "aliyun.com/gpu-mem", "8"), NodeRules.ANY))
                .isInstanceOfSatisfying(
                        Explanation.Judged.class,
                        judged -> assertThat(judged.advice())
                                .singleElement()
                                .asString()
                                .startsWith("It would fit on node n1, card 0, where 8 GiB is reserved for pod"
                                        + " default/first"));
    }

    @Test
    void theNodeThatWasNamedInVainIsNotChosen() throws Exception {
        for (String node : List.of("n1", "n2")) {
            cluster.node(node, TestCluster.cards(15));
        }
        PodState pod = cluster.create("p", Map.of("aliyun.com/gpu-mem", "8"));
        cluster.showAll();
        List<String> nodes = List.of("n1", "n2");
        String first = selection.filter(scheduling(pod), nodes).feasible().getFirst();
        assertThat(chosen(pod)).isEqualTo(first);
        for (int attempt = 2; attempt <= 3; attempt++) {
            selection.filter(scheduling(pod), nodes);
        }
        String next = chosen(pod);
        assertThat(next).isNotEqualTo(first);
        assertThat(selection.filter(scheduling(pod), nodes).feasible()).containsExactly(next);
    }

    private String chosen(PodState pod) throws PodApi.Failure {
        return ((Explanation.Judged)
                        explainer.pod("default", pod.ref().name()).orElseThrow().explanation())
                .nodes().stream()
                        .filter(Explanation.NodeVerdict::chosen)
                        .findFirst()
                        .orElseThrow()
                        .node();
    }

    /** The card becomes free while the answer is made. */
    @Test
    void anAnswerIsFromOneState() {
        node(TestCluster.cards(15));
        PodState first = cluster.create("first", Map.of("aliyun.com/gpu-mem", "8"));
        cluster.showAll();
        placer.assume(first.ref(), TestCluster.demand(ledger, scheduling(first)), "n1", TestCluster.NOW);
        Explainer late = new Explainer(
                () -> {
                    ClusterState state = ledger.state();
                    ledger.removePod(first.ref());
                    return state;
                },
                placer,
                new PlacementOutcomes(() -> 0),
                cluster,
                () -> TestCluster.NOW);
        assertThat(late.of(pod("late", "aliyun.com/gpu-mem", "8"), NodeRules.ANY))
                .isInstanceOfSatisfying(Explanation.Judged.class, judged -> {
                    assertThat(judged.feasible()).isZero();
                    assertThat(judged.advice())
                            .singleElement()
                            .asString()
                            .startsWith("It fits on node n1, card 0, when pod default/first ends");
                });
    }

    @Test
    void anInstanceIsNoWholeCardAndWhySaysSo() {
        MigInstance instance = new MigInstance(new CardId("GPU-parent"), "3g.40gb", 1, 0, List.of());
        Card card = new Card(
                new CardId("MIG-3"),
                1,
                1,
                "NVIDIA H100",
                Memory.ofGib(39),
                new Card.Details(null, null, null, true, instance));
        node(new Inventory(MemoryUnit.GIB, null, List.of(card)));
        Explanation.Judged judged =
                (Explanation.Judged) explainer.of(pod("p", "aliyun.com/gpu-count", "1"), NodeRules.ANY);
        assertThat(judged.refused()).singleElement().satisfies(group -> {
            assertThat(group.detail()).contains("MIG instances, and whole cards are needed");
            assertThat(group.model()).isEqualTo("NVIDIA H100 MIG 3g.40gb");
        });
    }

    private void node(Inventory inventory) {
        ledger.updateNode("n1", Map.of("gpushare.io/inventory", InventoryCodec.encode(inventory)), HostResources.NONE);
    }

    private static SchedulingPod scheduling(PodState pod) {
        return new SchedulingPod(pod.ref(), 0, pod.annotations(), pod.containers());
    }

    private static SchedulingPod pod(String name, String resource, String amount) {
        return new SchedulingPod(
                new PodRef("uid-" + name, "default", name),
                Map.of(),
                List.of(new ContainerResources("main", ContainerRole.APP, Map.of(resource, amount))));
    }
}
