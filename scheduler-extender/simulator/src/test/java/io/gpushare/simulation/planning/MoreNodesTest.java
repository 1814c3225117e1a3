package io.gpushare.simulation.planning;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.extender.policy.KnownNode;
import io.gpushare.extender.policy.Policies;
import io.gpushare.extender.policy.scoring.ClusterCapacity;
import io.gpushare.extender.policy.scoring.Scoring;
import io.gpushare.model.HostResources;
import io.gpushare.model.card.CardKind;
import io.gpushare.model.card.Share;
import io.gpushare.simulation.planning.LowerBound.Limit;
import io.gpushare.simulation.planning.MoreNodes.Plan;
import io.gpushare.simulation.trace.TraceNodes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MoreNodesTest {
    private static final int CASES = 50;
    private static final int PROVEN = 40;
    private static final int MOST_NODES = 4;
    private static final int MOST_PODS = 8;
    private static final Scoring BINPACK = new Policies(PolicyKind.BINPACK, ClusterCapacity.of(List.of())).scoring();
    private static final CardKind T4 = new CardKind("T4", 16);
    private static final CardKind H100 = new CardKind("H100", 80);

    @Test
    void fiftySmallCasesAgainstAnExhaustiveSearch() {
        int cases = 0;
        int right = 0;
        int byOnePolicy = 0;
        int proven = 0;
        for (int seed = 0; cases < CASES; seed++) {
            Case drawn = Case.of(seed);
            int truth = drawn.truth();
            if (truth < 0) {
                continue;
            }
            cases++;
            MoreNodes search = drawn.search();
            int bound = search.lowerBound().nodes();
            assertThat(bound).as("bound of seed %d", seed).isLessThanOrEqualTo(truth);
            proven += bound == truth ? 1 : 0;
            int best = search.best(Integer.MAX_VALUE).map(Plan::nodes).orElse(Integer.MAX_VALUE);
            assertThat(best).as("plan of seed %d", seed).isGreaterThanOrEqualTo(truth);
            right += best == truth ? 1 : 0;
            int one = search.listed("binpack", search.by(BINPACK))
                    .map(Plan::nodes)
                    .orElse(Integer.MAX_VALUE);
            assertThat(one).as("one policy with seed %d", seed).isGreaterThanOrEqualTo(truth);
            byOnePolicy += one == truth ? 1 : 0;
        }
        assertThat(right).as("right plans").isEqualTo(CASES);
        assertThat(proven).as("plans that are proven to be the best").isGreaterThanOrEqualTo(PROVEN);
        assertThat(byOnePolicy)
                .as("right by one policy: the cases are not trivial")
                .isLessThan(CASES * 9 / 10);
    }

    @Test
    void whatOtherNodesTakeNeedsNoNewOne() {
        KnownNode other = node("other", 8000, 2, T4);
        KnownNode kind = node("kind", 8000, 1, H100);
        assertThat(bound(List.of(other), kind, share(16), share(16))).isZero();
        assertThat(bound(List.of(other), kind, share(16), share(16), share(1))).isEqualTo(1);
        MoreNodes fits = new MoreNodes(List.of(other), kind, List.of(share(16), share(16)), 0);
        assertThat(fits.best(Integer.MAX_VALUE).map(Plan::nodes)).contains(0);
    }

    @Test
    void theBoundNamesWhatIsLacking() {
        KnownNode kind = node("kind", 8000, 2, T4);
        assertThat(search(kind, share(16), share(16), share(1)).lowerBound())
                .isEqualTo(new LowerBound(2, Limit.MEMORY, false));
        assertThat(search(kind, share(9), share(9), share(9)).lowerBound())
                .as("two of them do not fit on one card")
                .isEqualTo(new LowerBound(2, Limit.MEMORY, true));
        assertThat(search(kind, cpu(5000), cpu(1000), cpu(2001)).lowerBound())
                .isEqualTo(new LowerBound(2, Limit.CPU, false));
        assertThat(search(kind, cpu(5000), cpu(5000), cpu(5000)).lowerBound())
                .isEqualTo(new LowerBound(3, Limit.CPU, true));
    }

    @Test
    void aPodOfAPercentageIsBoundByTheCardsOfTheKind() {
        PodRequest half = new PodRequest(0, 0, Share.part(60), 0, Set.of());
        assertThat(search(node("kind", 8000, 1, H100), half, half).lowerBound().nodes())
                .isEqualTo(2);
    }

    @Test
    void aPodThatFitsNothingIsNamedAndMayBeRefused() {
        KnownNode kind = node("kind", 8000, 2, T4);
        PodRequest large = share(17);
        MoreNodes search = new MoreNodes(List.of(), kind, List.of(large, share(16)), 1);
        assertThat(search.unplaceable()).containsExactly(large);
        assertThat(search.lowerBound().nodes()).isEqualTo(1);
        assertThat(search.best(Integer.MAX_VALUE)).hasValueSatisfying(plan -> {
            assertThat(plan.nodes()).isEqualTo(1);
            assertThat(plan.refused()).containsExactly(large);
        });
        assertThat(search(kind, large).best(Integer.MAX_VALUE)).isEmpty();
    }

    @Test
    void podsForOtherNodesThatAreFullCanNotBeHelped() {
        PodRequest old = new PodRequest(0, 0, 10, 0, Set.of("T4"));
        MoreNodes search =
                new MoreNodes(List.of(node("old", 0, 1, T4)), node("kind", 0, 1, H100), List.of(old, old), 0);
        assertThat(search.lowerBound().impossible()).isTrue();
        assertThat(search.best(Integer.MAX_VALUE)).isEmpty();
    }

    @Test
    void newNodesMayHaveCardsThatAreCut() {
        CardKind large = CardKind.instance("H100 MIG 3g.40gb", 40);
        CardKind small = CardKind.instance("H100 MIG 1g.10gb", 10);
        KnownNode kind = TraceNodes.node("kind", 0, new HostResources(8000, 0), List.of(H100, large, small));
        PodRequest whole = new PodRequest(0, 0, 0, 1, Set.of());
        PodRequest instance = new PodRequest(0, 0, Share.INSTANCE.withUnits(40), 0, Set.of("H100 MIG 3g.40gb"));
        assertPlanned(2, kind, whole, whole, instance, instance, share(10), share(10));
        assertPlanned(3, kind, instance, instance, instance, share(10));
        assertPlanned(2, kind, instance, share(80), share(40), share(10));
        assertThat(search(node("kind", 8000, 8, H100), instance).unplaceable()).containsExactly(instance);
    }

    private static void assertPlanned(int nodes, KnownNode kind, PodRequest... pods) {
        assertThat(search(kind, pods).best(Integer.MAX_VALUE).map(Plan::nodes)).contains(nodes);
        assertThat(search(kind, pods).lowerBound().nodes()).isEqualTo(nodes);
    }

    private static PodRequest share(int units) {
        return new PodRequest(0, 0, units, 0, Set.of());
    }

    private static PodRequest cpu(int milli) {
        return new PodRequest(milli, 0, 1, 0, Set.of());
    }

    private static MoreNodes search(KnownNode kind, PodRequest... pods) {
        return new MoreNodes(List.of(), kind, List.of(pods), 0);
    }

    private static int bound(List<KnownNode> others, KnownNode kind, PodRequest... pods) {
        return new MoreNodes(others, kind, List.of(pods), 0).lowerBound().nodes();
    }

    /** Up to two nodes that exist, a kind of node, and pods. */
    private record Case(List<KnownNode> others, KnownNode kind, List<PodRequest> pods, int mayRefuse) {
        static Case of(long seed) {
            Random random = new Random(seed);
            List<KnownNode> others = new ArrayList<>();
            for (int i = random.nextInt(3); i > 0; i--) {
                others.add(node("old-" + i, random, new CardKind("old", 8 + 8 * random.nextInt(2))));
            }
            KnownNode kind = node("kind", random, new CardKind("new", 8 + 4 * random.nextInt(5)));
            List<PodRequest> pods = new ArrayList<>();
            for (int i = MOST_PODS - random.nextInt(4); i > 0; i--) {
                pods.add(pod(random));
            }
            return new Case(others, kind, pods, random.nextInt(4) == 0 ? 1 : 0);
        }

        private static KnownNode node(String name, Random random, CardKind cards) {
            return MoreNodesTest.node(name, 4000 + 4000 * random.nextInt(4), 1 + random.nextInt(4), cards);
        }

        private static PodRequest pod(Random random) {
            boolean whole = random.nextInt(4) == 0;
            Set<String> models = random.nextInt(3) == 0 ? Set.of(random.nextBoolean() ? "old" : "new") : Set.of();
            int units = whole ? 0 : 3 + random.nextInt(9);
            return new PodRequest(500L * random.nextInt(8), 0, units, whole ? 1 + random.nextInt(2) : 0, models);
        }

        MoreNodes search() {
            return new MoreNodes(others, kind, pods, mayRefuse);
        }

        /** The smallest number that is enough; negative if none up to the most is. */
        int truth() {
            return IntStream.rangeClosed(0, MOST_NODES - others.size())
                    .filter(count -> ExhaustiveSearch.fits(search().nodes(count), pods, mayRefuse))
                    .findFirst()
                    .orElse(-1);
        }
    }

    private static KnownNode node(String name, long cpuMilli, int cards, CardKind kind) {
        return TraceNodes.node(name, 0, new HostResources(cpuMilli, 0), Collections.nCopies(cards, kind));
    }
}
