package io.gpushare.extender.policy.scoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.extender.policy.KnownNode;
import io.gpushare.extender.policy.NodeChooser;
import io.gpushare.extender.policy.Policies;
import io.gpushare.extender.policy.TestCards;
import io.gpushare.model.card.CardKind;
import io.gpushare.model.ledger.CardState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ScoringsTest {
    private static final CardKind CARD = new CardKind("T4", 1000);

    @Test
    void fgdCountsMemoryThatTypicalPodsCanNotUse() {
        // Half of the pods request 600, half a whole card; both request 4 CPUs.
        Scoring fgd = foreknowing(PolicyKind.FGD, pod(4000, 600, 0), pod(4000, 0, 1));
        // Before: 0 unusable for the former, 700 for the latter, so 350. After: 100 for both.
        assertThat(fgd.cost(only(node(64_000, 700), pod(4000, 600, 0)))).isEqualTo(-Math.floor(100 * sigmoid(0.25)));
        // Before: nothing. After: 0 and 700 unusable.
        assertThat(fgd.cost(only(node(64_000, 1000), pod(4000, 300, 0)))).isEqualTo(-Math.floor(100 * sigmoid(-0.35)));
        // Without CPU for another pod, all free memory is unusable.
        assertThat(fgd.cost(only(node(4000, 1000), pod(4000, 300, 0)))).isEqualTo(-Math.floor(100 * sigmoid(-0.7)));
    }

    @Test
    void fgdIgnoresRareKinds() {
        List<PodRequest> many = new ArrayList<>();
        for (int i = 0; i < 97; i++) {
            many.add(pod(4000, 600, 0));
        }
        List<PodRequest> withRare = new ArrayList<>(many);
        withRare.add(pod(4000, 0, 1));
        CardChoice candidate = only(node(64_000, 1000), pod(4000, 300, 0));
        assertThat(foreknowing(PolicyKind.FGD, withRare.toArray(PodRequest[]::new))
                        .cost(candidate))
                .isEqualTo(foreknowing(PolicyKind.FGD, many.toArray(PodRequest[]::new))
                        .cost(candidate));
    }

    @Test
    void bestFitAndSpreadAreOpposites() {
        KnownNode full = TestCards.node("full", 8000, 100, cards(1000, 400));
        KnownNode empty = TestCards.node("empty", 64_000, 100, cards(1000, 1000));
        assertThat(where(PolicyKind.BESTFIT, full, empty)).isEqualTo("full 1");
        assertThat(where(PolicyKind.SPREAD, full, empty)).isEqualTo("empty 0");
        KnownNode used = TestCards.node("full", 64_000, 100, cards(400, 1000));
        assertThat(where(PolicyKind.SPREAD, used)).isEqualTo("full 1");
    }

    @Test
    void binpackFillsCardsInUseBeforeUnusedOnes() {
        Scoring binpack = new Policies(PolicyKind.BINPACK, new ClusterCapacity(Map.of(), 1, 1)).scoring();
        PodRequest pod = pod(1, 200, 0);
        double full = binpack.cost(only(node(64_000, 300), pod));
        double half = binpack.cost(only(node(64_000, 500), pod));
        double inUse = binpack.cost(only(node(64_000, 999), pod));
        double unused = binpack.cost(only(node(64_000, 1000), pod));
        assertThat(List.of(full, half, inUse, unused)).isSorted().doesNotHaveDuplicates();
        assertThat(where(PolicyKind.BINPACK, TestCards.node("n", 64_000, 100, cards(1000, 700, 400))))
                .isEqualTo("n 2");
    }

    @Test
    void binpackTakesWholeCardsWhereTheFewestAreUnused() {
        Scoring binpack = new Policies(PolicyKind.BINPACK, new ClusterCapacity(Map.of(), 1, 1)).scoring();
        PodRequest pod = pod(1, 0, 1);
        KnownNode few = TestCards.node("few", 64_000, 100, cards(100, 100, 100, 1000));
        KnownNode many = TestCards.node("many", 64_000, 100, cards(100, 1000, 1000, 1000));
        assertThat(binpack.cost(only(few, pod))).isLessThan(binpack.cost(only(many, pod)));
    }

    @Test
    void wspFgdKeepsNodesForJobsOfManyCardsWhereWspSeesNoDifference() {
        PodRequest one = pod(1, 0, 1);
        PodRequest four = pod(4, 0, 4);
        CardChoice ofFour = only(TestCards.node("four", 64_000, 100, cards(1000, 1000, 1000, 1000)), one);
        CardChoice ofTwo = only(TestCards.node("two", 64_000, 100, cards(1000, 1000)), one);
        Scoring wsp = foreknowing(PolicyKind.WSP, one, four);
        Scoring wspFgd = foreknowing(PolicyKind.WSP_FGD, one, four);

        assertThat(wsp.cost(ofTwo)).isCloseTo(wsp.cost(ofFour), within(Scoring.SAME));
        // The job makes up four fifths of the demand in units. The node of four can no longer take it: 3000 units
        // become unusable. On the other node 1000 fewer are unusable, because it could not take the job before either.
        assertThat(wspFgd.cost(ofFour) - wsp.cost(ofFour)).isCloseTo(0.1 * 0.8 * 3000, within(Scoring.SAME));
        assertThat(wspFgd.cost(ofTwo) - wsp.cost(ofTwo)).isCloseTo(0.1 * 0.8 * -1000, within(Scoring.SAME));
    }

    @Test
    void equalNodesAreTakenInAnOrderOtherThanByName() {
        List<KnownNode> nodes = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            nodes.add(TestCards.node("node-%02d".formatted(i), 64_000, 100, cards(1000)));
        }
        List<String> order = new NodeChooser(nodes).nodes().map(KnownNode::name).toList();
        assertThat(order)
                .isEqualTo(new NodeChooser(nodes.reversed())
                        .nodes()
                        .map(KnownNode::name)
                        .toList());
        assertThat(order).isNotEqualTo(order.stream().sorted().toList());
        NodeChooser.Chosen first =
                new NodeChooser(nodes).choose(candidate -> 0, pod(1, 1, 0)).orElseThrow();
        assertThat(first.node()).isEqualTo(order.getFirst());
    }

    private static String where(PolicyKind kind, KnownNode... nodes) {
        Scoring scoring = new Policies(kind, new ClusterCapacity(Map.of(CARD, 4), 64_000, 2000)).scoring();
        NodeChooser.Chosen candidate = new NodeChooser(List.of(nodes))
                .choose(scoring, pod(1000, 300, 0))
                .orElseThrow();
        CardState shared = candidate.cards().shared();
        return candidate.node() + (shared == null ? "" : " " + TestCards.index(shared));
    }

    private static Scoring foreknowing(PolicyKind kind, PodRequest... pods) {
        return Policies.knowing(kind, new ClusterCapacity(Map.of(CARD, 1), 64_000, 1000), List.of(pods))
                .scoring();
    }

    private static CardChoice only(KnownNode node, PodRequest pod) {
        List<CardChoice> candidates = CardChoice.of(node.entry(), pod);
        assertThat(candidates).hasSize(1);
        return candidates.getFirst();
    }

    private static KnownNode node(long cpu, int free) {
        return TestCards.node("n", cpu, 100, cards(free));
    }

    private static List<TestCards.Free> cards(int... free) {
        List<TestCards.Free> cards = new ArrayList<>();
        for (int each : free) {
            cards.add(TestCards.card(CARD, each));
        }
        return cards;
    }

    private static PodRequest pod(long cpu, int units, int cards) {
        return new PodRequest(cpu, 0, units, cards, Set.of());
    }

    private static double sigmoid(double x) {
        return 1 / (1 + Math.exp(-x));
    }
}
