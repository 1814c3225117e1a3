package io.gpushare.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.InstanceOfAssertFactories.LONG;

import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.extender.policy.KnownNode;
import io.gpushare.simulation.suite.RegretTable;
import io.gpushare.simulation.suite.SuiteCluster;
import io.gpushare.simulation.trace.TimedPod;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SuiteTest {
    private static final double MEAN = 0.66;
    private static final double PERCENTILE_95 = 3.69;
    private static final double WORST = 5.37;

    @Test
    void clustersAreSmallAndVaried() {
        List<SuiteCluster> clusters = LongStream.range(1, 200)
                .mapToObj(seed -> SuiteCluster.of(seed, false))
                .toList();
        assertThat(clusters).allSatisfy(cluster -> {
            assertThat(cluster.nodes()).hasSizeBetween(5, 60);
            assertThat(cluster.pods()).hasSizeBetween(1, 20_000).anyMatch(pod -> pod.gpu());
        });
        assertThat(clusters)
                .anyMatch(cluster ->
                        cluster.pods().stream().anyMatch(pod -> !pod.models().isEmpty()));
        assertThat(clusters).anyMatch(cluster -> cluster.pods().stream().noneMatch(pod -> pod.shares()));
        assertThat(clusters).anyMatch(cluster -> cluster.pods().stream().noneMatch(pod -> pod.cards() > 0));
        assertThat(clusters)
                .anyMatch(cluster -> cluster.nodes().stream()
                        .allMatch(node -> node.entry().cards().cards().size() == 1));
        for (String order : List.of("random order", "bursts", "small ones first", "large ones first", "before whole")) {
            assertThat(clusters).anyMatch(cluster -> cluster.description().contains(order));
        }
    }

    @Test
    void withMigSomeCardsAreCutAndPodsTakeInstances() {
        List<SuiteCluster> clusters = LongStream.range(1, 40)
                .mapToObj(seed -> SuiteCluster.of(seed, true))
                .toList();
        assertThat(clusters)
                .allSatisfy(cluster -> assertThat(cluster.nodes())
                        .anyMatch(node -> node.entry().cards().open().cards().stream()
                                .anyMatch(card -> card.kind().instance())));
        assertThat(clusters)
                .as("with profiles that pods request")
                .filteredOn(cluster ->
                        cluster.pods().stream().anyMatch(pod -> pod.share().instances() > 0))
                .hasSizeGreaterThan(26);
        assertThat(clusters).anyMatch(cluster -> cluster.pods().stream().anyMatch(pod -> pod.cards() > 0));
        assertThat(clusters)
                .as("with sizes of ten times in one node")
                .anyMatch(cluster -> cluster.nodes().stream()
                        .anyMatch(node -> node.entry()
                                        .cards()
                                        .open()
                                        .cards()
                                        .getLast()
                                        .kind()
                                        .units()
                                >= 7
                                        * node.entry()
                                                .cards()
                                                .open()
                                                .cards()
                                                .getFirst()
                                                .kind()
                                                .units()));
    }

    @Test
    void theTableHasTheRegretOfEachPolicyAndItsWorstCluster() throws InterruptedException {
        assertThat(new Suite(3, 5, false, List.of(PolicyKind.values()))
                        .run(1, line -> {})
                        .toString())
                .containsPattern("policy +allocated +regret +95 % +worst +seed")
                .containsPattern("(?m)^wsp-fgd +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[567]$")
                .containsPattern("(?m)^seed [567]: \\d+ nodes");
    }

    @Test
    void aSeedGivesTheSameClusterAndTheSameRegret() throws InterruptedException {
        assertThat(SuiteCluster.of(7, false).pods())
                .isEqualTo(SuiteCluster.of(7, false).pods());
        assertThat(SuiteCluster.of(7, false).nodes().stream().map(KnownNode::toString))
                .isEqualTo(SuiteCluster.of(7, false).nodes().stream()
                        .map(KnownNode::toString)
                        .toList());
        List<PolicyKind> policies = List.of(PolicyKind.BINPACK, PolicyKind.ADAPTIVE);
        assertThat(new Suite(3, 7, false, policies).run(2, line -> {}))
                .isEqualTo(new Suite(3, 7, false, policies).run(1, line -> {}));
    }

    // SIMULATE.md has this table. The aim is a mean of .3, 1.5 at 95 % and 4 at worst; the bounds are what it has.
    @Test
    void theDefaultPolicyStaysAsNearTheBestAsItIsOnClustersOfAllKinds() throws InterruptedException {
        RegretTable table = Suite.ofAllKinds(20, 61_001, List.of(PolicyKind.values()), 2, line -> {});
        String shown = table.toString();
        assertThat(table.mean(PolicyKind.ADAPTIVE)).as(shown).isLessThanOrEqualTo(MEAN);
        assertThat(table.percentile95(PolicyKind.ADAPTIVE)).as(shown).isLessThanOrEqualTo(PERCENTILE_95);
        assertThat(table.worst(PolicyKind.ADAPTIVE).regret(table.policies().indexOf(PolicyKind.ADAPTIVE)))
                .as(shown)
                .isLessThanOrEqualTo(WORST);
        assertThat(table.mean(PolicyKind.ADAPTIVE)).as(shown).isLessThan(table.mean(PolicyKind.WSP) / 2);
    }

    @Test
    void regretIsTheDistanceFromTheBestOfEachCluster() {
        List<PolicyKind> policies = List.of(PolicyKind.FGD, PolicyKind.WSP);
        RegretTable table = new RegretTable(
                policies,
                List.of(
                        new RegretTable.Row(1, "one", "in bursts", List.of(90.0, 80.0)),
                        new RegretTable.Row(2, "two", "small ones first", List.of(70.0, 71.0))));
        assertThat(table.mean(PolicyKind.FGD)).isEqualTo(0.5);
        assertThat(table.mean(PolicyKind.WSP)).isEqualTo(5);
        assertThat(table.percentile95(PolicyKind.WSP)).isEqualTo(10);
        assertThat(table.worst(PolicyKind.WSP).seed()).isEqualTo(1);
        assertThat(table.toString())
                .contains("seed 1: one")
                .contains("seed 2: two")
                .containsPattern("regret +1 in bursts +1 small ones first")
                .containsPattern("(?m)^fgd +0.00 +0.00 +0.00 +1.00 +1.00 +1.00$")
                .containsPattern("(?m)^wsp +10.00 +10.00 +10.00 +0.00 +0.00 +0.00$");
    }

    @Test
    void podsThatEndComeAsManyTimesAsTheyRunOnAverage() {
        SuiteCluster cluster = SuiteCluster.of(7004, false);
        assertThat(cluster.timed())
                .hasSizeBetween(2 * cluster.pods().size(), 4 * cluster.pods().size());
        assertThat(cluster.timed())
                .extracting(TimedPod::created)
                .isSorted()
                .last(LONG)
                .isBetween(10_000L, 10_800L);
        assertThat(cluster.timed().stream().mapToLong(TimedPod::duration).average())
                .hasValueCloseTo(3600.0, within(600.0));
    }

    @Test
    void waitsOfSeveralClustersAreOneTable() throws InterruptedException {
        List<PolicyKind> policies = List.of(PolicyKind.BINPACK, PolicyKind.SPREAD);
        String one = new Suite(1, 7004, false, policies).waits(1, line -> {}).toString();
        String two = new Suite(2, 7004, false, policies).waits(2, line -> {}).toString();
        assertThat(two)
                .isEqualTo(
                        new Suite(2, 7004, false, policies).waits(1, line -> {}).toString())
                .isNotEqualTo(one)
                .containsPattern("policy +allocated .*beside free +never")
                .containsPattern("(?m)^binpack +[0-9.]+ % ")
                .containsPattern("(?m)^spread +[0-9.]+ % ");
    }
}
