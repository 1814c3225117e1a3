package io.gpushare.insight.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.placement.PlacementOutcomes;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.PodBuilder;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.scheduling.DecideIn;
import io.gpushare.extender.scheduling.NodeSelection;
import io.gpushare.extender.scheduling.PodApi;
import io.gpushare.extender.scheduling.TestCluster;
import io.gpushare.insight.scaleup.ScaleUp;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.codec.AllocationCodec;
import io.gpushare.model.node.NodeFacts;
import io.gpushare.model.node.NodeRules;
import io.gpushare.model.pod.PodState;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What why says of pods that wait with others of their pod group. Each requests 8 units of a card of 15. */
class GangTest {
    private static final Inventory TWO = TestCluster.cards(15, 15);

    private final Placer placer = TestCluster.placer();
    private final Ledger ledger = placer.ledger();
    private final PlacementOutcomes outcomes = new PlacementOutcomes(() -> 0);
    private final NodeSelection selection = new NodeSelection(placer, outcomes, DecideIn.FILTER);
    private final TestCluster cluster = new TestCluster(new Random(1), ledger);
    private final Explainer explainer = new Explainer(ledger::state, placer, outcomes, cluster, () -> TestCluster.NOW);

    /** It would be placed on the first node, beside what is reserved on the second. */
    @Test
    void whatIsReservedForAMemberCountsOnce() throws Exception {
        cluster.node("n1", TestCluster.cards(15));
        cluster.node("n2", TestCluster.cards(15));
        PodState first = member("first", NodeRules.ANY);
        member("second", NodeRules.ANY);
        cluster.showAll();
        selection.filter(new SchedulingPod(first.ref(), 0, Map.of(), first.containers()), List.of("n2"));
        Explanation.Judged why = why("second");
        assertThat(why.gang()).isFalse();
        assertThat(why.advice()).isEmpty();
        assertThat(why.scaleUp()).isNull();
    }

    @Test
    void aNodeThatIsBackedOffTakesNoneOfThem() throws Exception {
        cluster.node("n1", TestCluster.cards(15));
        cluster.node("n2", TWO);
        member("first", NodeRules.ANY);
        member("second", NodeRules.ANY);
        cluster.showAll();
        PodRef rejected = new PodRef("uid-rejected", "default", "rejected");
        outcomes.admissions().bound(rejected, "n2");
        outcomes.admissions().rejected("uid-rejected");
        Explanation.Judged why = why("first");
        assertThat(why.advice()).first().asString().endsWith("2 of them wait, and only 1 fits now.");
        assertThat(why.gang()).isTrue();
    }

    @Test
    void noKindOfNodeIsNamedForAGangThatNeedsTwo() throws Exception {
        for (String pool : List.of("red", "blue")) {
            pool(pool, TestCluster.cards(15));
            holds("holder-" + pool, pool, 15);
            member(pool, new NodeRules(Map.of("pool", pool), null, List.of()));
        }
        cluster.showAll();
        assertThat(why("red").advice()).first().asString().contains("2 of them wait, and none fits now.");
        assertThat(why("red").scaleUp()).isNull();
        cluster.delete("blue");
        cluster.showAll();
        assertThat(why("red").scaleUp()).isInstanceOf(ScaleUp.MoreLike.class);
    }

    /** The pod itself fits: what the others request is not what it requests. */
    @Test
    void whatOthersRequestIsNotSaidOfThePod() throws Exception {
        pool("red", TWO);
        member("fits", new NodeRules(Map.of("pool", "red"), null, List.of()));
        member("research", new NodeRules(Map.of("pool", "research"), null, List.of()));
        cluster.showAll();
        assertThat(why("fits").gang()).isTrue();
        assertThat(why("fits").scaleUp()).isNull();
        assertThat(why("research").gang()).as("it waits for itself").isFalse();
        assertThat(why("research").scaleUp()).isInstanceOf(ScaleUp.OtherNode.class);
    }

    @Test
    void podsThatAreBeingDeletedMakeRoomWithoutANewNode() throws Exception {
        cluster.node("n1", TestCluster.cards(15));
        cluster.node("n2", TestCluster.cards(15));
        PodState holder = holds("holder", "n1", 15);
        cluster.put(PodBuilder.pod(holder.ref())
                .on("n1")
                .annotations(holder.annotations())
                .containers(holder.containers())
                .terminating(true)
                .deadline(TestCluster.NOW.plusSeconds(30))
                .build());
        member("first", NodeRules.ANY);
        member("second", NodeRules.ANY);
        cluster.showAll();
        Explanation.Judged why = why("first");
        assertThat(why.advice())
                .last()
                .asString()
                .isEqualTo("All of them fit when this pod ends: default/holder on node n1 (15 GiB, being deleted).");
        assertThat(why.scaleUp()).isNull();
    }

    @Test
    void thoseThatAcceptTheFewestNodesComeFirst() throws Exception {
        pool("a", TestCluster.cards(15));
        pool("b", TestCluster.cards(15));
        member("first", NodeRules.ANY);
        member("second", new NodeRules(Map.of("pool", "a"), null, List.of()));
        cluster.showAll();
        assertThat(why("first").advice()).isEmpty();
    }

    @Test
    void allAreCountedThoughOnlySomeArePlaced() throws Exception {
        cluster.node("n1", TestCluster.cards(15));
        IntStream.range(0, 300).forEach(i -> member("member-" + i, NodeRules.ANY));
        cluster.showAll();
        Explanation.Judged why = why("member-7");
        assertThat(why.advice()).first().asString().endsWith("300 of them wait, and of the first 256 only 1 fits now.");
        assertThat(why.scaleUp()).as("it would not be for all").isNull();
    }

    private Explanation.Judged why(String name) throws PodApi.Failure {
        return (Explanation.Judged) explainer.pod("default", name).orElseThrow().explanation();
    }

    private void pool(String name, Inventory cards) {
        cluster.node(name, cards);
        cluster.showAll();
        ledger.updateFacts(new NodeFacts(name, Map.of("pool", name), List.of()));
    }

    private PodState member(String name, NodeRules accepts) {
        PodState pod = PodBuilder.pod(new PodRef("uid-" + name, "default", name))
                .unschedulable(true)
                .accepting(accepts)
                .group("train")
                .requesting("aliyun.com/gpu-mem", 8)
                .build();
        cluster.put(pod);
        return pod;
    }

    private PodState holds(String name, String node, int units) {
        PodState pod = PodBuilder.pod(new PodRef("uid-" + name, "default", name))
                .on(node)
                .annotations(AllocationCodec.annotations(
                        TestCluster.memory("GPU-0", units), TestCluster.cards(units), node, List.of(), TestCluster.NOW))
                .requesting("aliyun.com/gpu-mem", units)
                .build();
        cluster.put(pod);
        return pod;
    }
}
