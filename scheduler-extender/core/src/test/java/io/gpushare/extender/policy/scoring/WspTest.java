package io.gpushare.extender.policy.scoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.extender.policy.KnownNode;
import io.gpushare.extender.policy.NodeChooser;
import io.gpushare.extender.policy.Policies;
import io.gpushare.extender.policy.TestCards;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardKind;
import io.gpushare.model.card.Share;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class WspTest {
    private static final CardKind T4 = new CardKind("T4", 16);
    private static final CardKind A100 = new CardKind("A100", 16);
    private static final long MUCH = 1_000_000;

    @Test
    void wasteIsWhatTypicalPodsCanNotUse() {
        DemandHistory history = history(pod(0, 6, 0));
        Waste waste = new Waste(history, T4, 10);
        assertThat(waste.of(16)).as("two pods of 6 leave 4").isEqualTo(4);
        assertThat(waste.of(12)).isZero();
        assertThat(waste.of(5)).isEqualTo(5);
    }

    @Test
    void wasteIsTheMeanOverPossiblePods() {
        Waste waste = new Waste(history(pod(0, 16, 0), pod(0, 10, 0)), T4, 10);
        // Half of the first pods take all of it; the other half leave 6, which no pod can use.
        assertThat(waste.of(16)).isCloseTo(3, offset(1e-9));
        // With one half each, no pod of 10 arrives ten times; otherwise 10 are taken.
        assertThat(waste.of(10)).isCloseTo(10.0 / 1024, offset(1e-9));
    }

    @Test
    void aCardOfManyUnitsIsDividedIntoSteps() {
        Waste waste = new Waste(history(pod(0, 81920 / 4, 0)), new CardKind("A100", 81920), 10);
        assertThat(waste.of(81920)).isZero();
        assertThat(waste.of(81920 / 8)).isEqualTo(81920.0 / 8);
    }

    @Test
    void aPodTakesTheCardThatItLeavesWithoutWaste() {
        KnownNode node = TestCards.node(
                "n", MUCH, MUCH, List.of(TestCards.card(T4, 7), TestCards.card(T4, 12), TestCards.unused(T4)));
        assertThat(chosen(List.of(node), pod(0, 6, 0), pod(0, 6, 0)).cards().shared())
                .as("7 would leave 1, the unused 16 waste 4 already; 12 take two such pods")
                .extracting(TestCards::index)
                .isEqualTo(0);
        assertThat(chosen(List.of(node), pod(0, 4, 0), pod(0, 6, 0), pod(0, 4, 0), pod(0, 3, 0))
                        .cards()
                        .shared())
                .as("4 of 7 leave 3, which other pods request")
                .extracting(TestCards::index)
                .isEqualTo(0);
    }

    @Test
    void cpuOnlyPodsDoNotStrandCards() {
        KnownNode tight = node("tight", 10_000, T4, T4);
        KnownNode large = node("large", 80_000, T4, T4);
        assertThat(chosen(List.of(tight, large), pod(5_000, 0, 0), pod(4_000, 16, 0))
                        .node())
                .isEqualTo("large");
        KnownNode emptied = TestCards.node("emptied", 10_000, MUCH, List.of(TestCards.card(T4, 0)));
        assertThat(chosen(List.of(tight, emptied), pod(9_000, 0, 0), pod(4_000, 16, 0))
                        .node())
                .as("no card is free there")
                .isEqualTo("emptied");
    }

    @Test
    void rareModelsStayFreeForPodsThatSelectThem() {
        PodRequest any = pod(0, 0, 1);
        PodRequest selecting = new PodRequest(0, 0, 0, 1, Set.of("A100"));
        for (String suffix : List.of("", "x", "y", "z")) {
            List<KnownNode> nodes =
                    List.of(node("first" + suffix, MUCH, A100), node("second" + suffix, MUCH, T4, T4, T4));
            assertThat(chosen(nodes, any, any, selecting).node()).startsWith("second");
            assertThat(chosen(nodes, selecting, any, selecting).node()).startsWith("first");
        }
    }

    @Test
    void memoryPodsLeaveTheInstancesThatPodsTakeWhole() {
        CardKind instance = CardKind.instance("H100 MIG 1g.10gb", 10);
        PodRequest taking = new PodRequest(0, 0, Share.INSTANCE.withUnits(10), 0, Set.of(instance.model()));
        PodRequest share = pod(0, 10, 0);
        KnownNode node = TestCards.node("n", MUCH, MUCH, List.of(TestCards.unused(instance), TestCards.card(T4, 10)));
        assertThat(chosen(List.of(node), share, share, taking).cards().shared())
                .extracting(TestCards::index)
                .isEqualTo(1);
        assertThat(chosen(List.of(node), taking, share, taking).cards().shared())
                .extracting(TestCards::index)
                .isEqualTo(0);
        assertThat(chosen(List.of(node), taking, share, taking)
                        .cards()
                        .after(new PodRef("u", "default", "p"))
                        .cards()
                        .open()
                        .freeUnits())
                .as("it has all memory of the instance")
                .isEqualTo(10);
    }

    @Test
    void aWholeCardCountsTheSameWhateverItsSize() {
        CardKind large = new CardKind("A100", 80);
        DemandHistory history = new DemandHistory();
        history.add(pod(0, 0, 1));
        double mean = new ClusterCapacity(Map.of(T4, 1, large, 1), 1, 1).cardUnits();
        assertThat(history.units(mean)).as("the mean of 16 and 80").isEqualTo(48);
        List<KnownNode> nodes = List.of(node("small", MUCH, T4), node("large", MUCH, large));
        Scoring scoring = Policies.knowing(PolicyKind.WSP, KnownNode.capacity(nodes), List.of(pod(0, 0, 1)))
                .scoring();
        double small =
                scoring.cost(CardChoice.of(nodes.get(0).entry(), pod(0, 0, 1)).getFirst());
        double other =
                scoring.cost(CardChoice.of(nodes.get(1).entry(), pod(0, 0, 1)).getFirst());
        assertThat(small).isCloseTo(other, offset(1e-9));
    }

    @Test
    void itMakesANewScoringWhenTheClusterHasOtherCards() {
        CardKind large = new CardKind("A100", 80);
        List<KnownNode> small = List.of(node("small", MUCH, T4));
        List<KnownNode> both = List.of(node("small", MUCH, T4), node("large", MUCH, large));
        Policies policy = new Policies(PolicyKind.WSP, KnownNode.capacity(small));
        policy.arrived(pod(0, 12, 0));
        Scoring before = policy.scoring();
        // An unknown kind has a plausible cost, and another one once it is known.
        assertThat(before.cost(CardChoice.of(both.get(1).entry(), pod(0, 12, 0)).getFirst()))
                .isEqualTo(-12);
        policy.cluster(KnownNode.capacity(small));
        assertThat(policy.scoring()).isSameAs(before);
        policy.cluster(KnownNode.capacity(both));
        assertThat(policy.scoring()
                        .cost(CardChoice.of(both.get(1).entry(), pod(0, 12, 0)).getFirst()))
                .isNotEqualTo(-12);
    }

    @Test
    void itMakesANewScoringAtGrowingIntervals() {
        List<KnownNode> nodes = List.of(node("n", MUCH, T4));
        Policies policy = new Policies(PolicyKind.WSP, KnownNode.capacity(nodes));
        List<Integer> changes = new ArrayList<>();
        for (int pods = 1; pods <= 30; pods++) {
            Scoring before = policy.scoring();
            policy.arrived(pod(0, 6, 0));
            if (!policy.scoring().equals(before)) {
                changes.add(pods);
            }
        }
        assertThat(changes).containsExactly(1, 2, 4, 8, 10, 13, 17, 22, 28);
    }

    private static NodeChooser.Chosen chosen(List<KnownNode> nodes, PodRequest pod, PodRequest... known) {
        Scoring scoring = Policies.knowing(PolicyKind.WSP, KnownNode.capacity(nodes), List.of(known))
                .scoring();
        return new NodeChooser(nodes).choose(scoring, pod).orElseThrow();
    }

    private static DemandHistory history(PodRequest... pods) {
        DemandHistory history = new DemandHistory();
        List.of(pods).forEach(history::add);
        return history;
    }

    private static KnownNode node(String name, long cpu, CardKind... kinds) {
        List<TestCards.Free> cards = Stream.of(kinds).map(TestCards::unused).toList();
        return TestCards.node(name, cpu, MUCH, cards);
    }

    private static PodRequest pod(long cpu, int units, int cards) {
        return new PodRequest(cpu, 0, units, cards, Set.of());
    }
}
