package io.gpushare.extender.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ScoringsTest {
    private static final CardKind CARD = new CardKind("T4", 1000);

    @Test
    void fgdCountsWhatTypicalPodsCanNotUse() {
        // Half of the pods ask for 600, half for a whole card; both ask for 4 cpus.
        Scoring fgd = told(PolicyKind.FGD, pod(4000, 600, 0), pod(4000, 0, 1));
        // Before: 0 useless to the former, 700 to the latter, so 350. After: 100 to both.
        assertThat(fgd.cost(only(node(64_000, 700), pod(4000, 600, 0)))).isEqualTo(-Math.floor(100 * sigmoid(0.25)));
        // Before: nothing. After: useless 0 and 700.
        assertThat(fgd.cost(only(node(64_000, 1000), pod(4000, 300, 0)))).isEqualTo(-Math.floor(100 * sigmoid(-0.35)));
        // Without cpu for another pod all that is idle is useless.
        assertThat(fgd.cost(only(node(4000, 1000), pod(4000, 300, 0)))).isEqualTo(-Math.floor(100 * sigmoid(-0.7)));
    }

    @Test
    void fgdLeavesTheRareKindsOutOfAccount() {
        List<PodRequest> many = new ArrayList<>();
        for (int i = 0; i < 97; i++) {
            many.add(pod(4000, 600, 0));
        }
        List<PodRequest> withRare = new ArrayList<>(many);
        withRare.add(pod(4000, 0, 1));
        Way way = only(node(64_000, 1000), pod(4000, 300, 0));
        assertThat(told(PolicyKind.FGD, withRare.toArray(PodRequest[]::new)).cost(way))
                .isEqualTo(told(PolicyKind.FGD, many.toArray(PodRequest[]::new)).cost(way));
    }

    @Test
    void bestFitAndSpreadAreOpposites() {
        NodeRoom full = NodeRoom.of("full", 0, 8000, 100, cards(1000, 400));
        NodeRoom empty = NodeRoom.of("empty", 0, 64_000, 100, cards(1000, 1000));
        assertThat(where(PolicyKind.BESTFIT, full, empty)).isEqualTo("full 1");
        assertThat(where(PolicyKind.SPREAD, full, empty)).isEqualTo("empty 0");
        NodeRoom used = NodeRoom.of("full", 0, 64_000, 100, cards(400, 1000));
        assertThat(where(PolicyKind.SPREAD, used)).isEqualTo("full 1");
    }

    @Test
    void binpackFillsWhatIsBegunBeforeItOpensAFreshCard() {
        Scoring binpack =
                PolicyKind.BINPACK.fromNothing(new Capacity(Map.of(), 1, 1), 0).scoring();
        PodRequest pod = pod(1, 200, 0);
        double full = binpack.cost(only(node(64_000, 300), pod));
        double half = binpack.cost(only(node(64_000, 500), pod));
        double begun = binpack.cost(only(node(64_000, 999), pod));
        double fresh = binpack.cost(only(node(64_000, 1000), pod));
        assertThat(List.of(full, half, begun, fresh)).isSorted().doesNotHaveDuplicates();
        assertThat(where(PolicyKind.BINPACK, NodeRoom.of("n", 0, 64_000, 100, cards(1000, 700, 400))))
                .isEqualTo("n 2");
    }

    @Test
    void binpackTakesWholeCardsWhereTheFewestAreFree() {
        Scoring binpack =
                PolicyKind.BINPACK.fromNothing(new Capacity(Map.of(), 1, 1), 0).scoring();
        PodRequest pod = pod(1, 0, 1);
        NodeRoom few = NodeRoom.of("few", 0, 64_000, 100, cards(100, 100, 100, 1000));
        NodeRoom many = NodeRoom.of("many", 0, 64_000, 100, cards(100, 1000, 1000, 1000));
        assertThat(binpack.cost(only(few, pod))).isLessThan(binpack.cost(only(many, pod)));
    }

    @Test
    void randomTakesEachNodeAboutAsOftenAndTheSameAgainForTheSameSeed() {
        List<NodeRoom> nodes = List.of(
                NodeRoom.of("a", 0, 64_000, 100, cards(1000)),
                NodeRoom.of("b", 0, 64_000, 100, cards(1000, 900, 800, 700)),
                NodeRoom.of("c", 0, 64_000, 100, cards(1000)));
        Map<String, Integer> often = new HashMap<>();
        Policy policy = PolicyKind.RANDOM.fromNothing(Capacity.of(nodes), 42);
        Policy again = PolicyKind.RANDOM.fromNothing(Capacity.of(nodes), 42);
        PodRequest pod = pod(1, 100, 0);
        for (int i = 0; i < 3000; i++) {
            policy.arrived(pod);
            again.arrived(pod);
            Way way = new Chooser(nodes).choose(policy.scoring(), pod).orElseThrow();
            assertThat(new Chooser(nodes).choose(again.scoring(), pod)).contains(way);
            often.merge(way.node().name(), 1, Integer::sum);
        }
        assertThat(often.values()).hasSize(3).allMatch(times -> times > 850 && times < 1150);
    }

    @Test
    void theMixtureKeepsNodesWholeForJobsOfManyCardsWhereWspSeesNoDifference() {
        PodRequest one = pod(1, 0, 1);
        PodRequest four = pod(4, 0, 4);
        Way ofFour = only(NodeRoom.of("four", 0, 64_000, 100, cards(1000, 1000, 1000, 1000)), one);
        Way ofTwo = only(NodeRoom.of("two", 0, 64_000, 100, cards(1000, 1000)), one);
        Scoring wsp = told(PolicyKind.WSP, one, four);
        Scoring mixture = told(PolicyKind.WSP_FGD, one, four);

        assertThat(wsp.cost(ofTwo)).isCloseTo(wsp.cost(ofFour), within(Scoring.SAME));
        // By units asked four fifths of the demand are the job's, of which the node of four then holds none: 3000 units
        // are
        // useless to it. On the other node 1000 fewer are, since it could not take the job before either.
        assertThat(mixture.cost(ofFour) - wsp.cost(ofFour)).isCloseTo(0.1 * 0.8 * 3000, within(Scoring.SAME));
        assertThat(mixture.cost(ofTwo) - wsp.cost(ofTwo)).isCloseTo(0.1 * 0.8 * -1000, within(Scoring.SAME));
    }

    @Test
    void equalNodesAreTakenInAnOrderThatIsNotTheirNames() {
        List<NodeRoom> nodes = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            nodes.add(NodeRoom.of("node-%02d".formatted(i), 0, 64_000, 100, cards(1000)));
        }
        List<String> order = new Chooser(nodes).nodes().map(NodeRoom::name).toList();
        assertThat(order)
                .isEqualTo(new Chooser(nodes.reversed())
                        .nodes()
                        .map(NodeRoom::name)
                        .toList());
        assertThat(order).isNotEqualTo(order.stream().sorted().toList());
        Way first = new Chooser(nodes).choose(way -> 0, pod(1, 1, 0)).orElseThrow();
        assertThat(first.node().name()).isEqualTo(order.getFirst());
    }

    private static String where(PolicyKind kind, NodeRoom... nodes) {
        Scoring scoring =
                kind.fromNothing(new Capacity(Map.of(CARD, 4), 64_000, 2000), 0).scoring();
        Way way = new Chooser(List.of(nodes)).choose(scoring, pod(1000, 300, 0)).orElseThrow();
        CardRoom shared = way.shared();
        return way.node().name() + (shared == null ? "" : " " + shared.index());
    }

    private static Scoring told(PolicyKind kind, PodRequest... pods) {
        return kind.told(new Capacity(Map.of(CARD, 1), 64_000, 1000), 0, List.of(pods))
                .scoring();
    }

    private static Way only(NodeRoom node, PodRequest pod) {
        List<Way> ways = node.ways(pod);
        assertThat(ways).hasSize(1);
        return ways.getFirst();
    }

    private static NodeRoom node(long cpu, int free) {
        return NodeRoom.of("n", 0, cpu, 100, cards(free));
    }

    private static List<CardRoom> cards(int... free) {
        List<CardRoom> cards = new ArrayList<>();
        for (int each : free) {
            cards.add(new CardRoom(cards.size(), CARD, each));
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
