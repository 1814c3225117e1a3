package io.gpushare.extender.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.Reservation.Source;
import io.gpushare.extender.placement.PlacementOutcomes;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.PodBuilder;
import io.gpushare.extender.pod.PodTraits;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.model.pod.PodState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Pods of which kube-scheduler binds none before it has chosen a node for each: those of a gang, and those that wait
 * in a permit plugin. Each of two nodes has two cards of 15 units, and the pods request 8 units.
 */
class GangTest {
    private static final List<String> NODES = List.of("n1", "n2");

    private final Placer placer = TestCluster.placer();
    private final Ledger ledger = placer.ledger();
    private final TestCluster cluster = new TestCluster(new Random(1), ledger);
    private final PlacementOutcomes outcomes = new PlacementOutcomes(() -> 0);
    private final NodeSelection selection =
            new NodeSelection(placer, outcomes, DecideIn.FILTER, Map::of, () -> TestCluster.NOW);
    private final Binder binder = new Binder(placer, cluster, outcomes, () -> TestCluster.NOW);
    private int conditions;

    @BeforeEach
    void twoNodes() {
        NODES.forEach(node -> cluster.node(node, TestCluster.cards(15, 15)));
    }

    @Test
    void eachMemberHasACardOfItsOwnBeforeTheFirstIsBound() {
        List<PodState> gang = gang("gang", 4);
        List<String> nodes = filter(gang);
        assertThat(nodes).containsExactlyInAnyOrder("n1", "n1", "n2", "n2");

        assertThat(filter(gang("late", 1))).as("while they wait in permit").containsExactly("");
        for (int i = gang.size() - 1; i >= 0; i--) {
            assertThat(bind(gang.get(i), nodes.get(i))).isInstanceOf(BindResult.Bound.class);
        }
        cluster.showAll();
        assertThat(reserved()).isZero();
        assertThat(cluster.truth().values())
                .allSatisfy(node ->
                        assertThat(node.cards()).allMatch(card -> card.free().units() == 7));
    }

    /** kube-scheduler then marks each of them as unschedulable. */
    @Test
    void aGangThatDoesNotFitKeepsNoCards() {
        List<PodState> gang = gang("gang", 5);
        assertThat(filter(gang)).containsOnlyOnce("");
        refuse(gang);
        assertThat(reserved()).isZero();
        assertThat(filter(gang("other", 4))).doesNotContain("");
    }

    /** As kube-scheduler 1.36 retries it: within a second, until it would be bound in part. */
    @Test
    void aGangThatFailedAgainAndAgainIsNotBoundInPartAndKeepsNoCards() {
        List<PodState> gang = gang("gang", 5);
        for (int attempt = 0; attempt < 10; attempt++) {
            assertThat(filter(gang)).as("attempt %d", attempt).containsOnlyOnce("");
        }
        assertThat(filter(gang("other", 4))).doesNotContain("");
    }

    @Test
    void aGangThatFailedAgainAndAgainFitsOnceTheCardsAreFree() {
        List<PodState> others = gang("other", 4);
        List<String> taken = filter(others);
        IntStream.range(0, 4).forEach(i -> bind(others.get(i), taken.get(i)));
        cluster.showAll();
        List<PodState> gang = gang("gang", 4);
        for (int attempt = 0; attempt < 3; attempt++) {
            cluster.end("other-" + attempt);
            cluster.showAll();
            assertThat(filter(gang)).contains("");
            refuse(gang);
        }
        cluster.end("other-3");
        cluster.showAll();

        assertThat(bind(gang, filter(gang))).isEmpty();
        assertThat(reserved()).isZero();
    }

    /** Binds each pod to its node and returns those that are refused. */
    private List<PodState> bind(List<PodState> pods, List<String> nodes) {
        List<PodState> refused = new ArrayList<>();
        for (int i = 0; i < pods.size(); i++) {
            if (nodes.get(i).isEmpty() || !(bind(pods.get(i), nodes.get(i)) instanceof BindResult.Bound)) {
                refused.add(pods.get(i));
            }
        }
        cluster.showAll();
        return refused;
    }

    private BindResult bind(PodState pod, String node) {
        return binder.bind(pod.ref(), node, TestCluster.NOW);
    }

    private List<PodState> gang(String name, int members) {
        List<PodState> gang = IntStream.range(0, members)
                .mapToObj(i -> cluster.create(name + "-" + i, Map.of("aliyun.com/gpu-mem", "8")))
                .toList();
        cluster.showAll();
        return gang;
    }

    /** The node that filter names for each in turn; empty for none. */
    private List<String> filter(List<PodState> gang) {
        return gang.stream()
                .map(pod -> selection.filter(
                        new SchedulingPod(
                                pod.ref(),
                                0,
                                Map.of(),
                                pod.containers(),
                                new PodTraits(
                                        false,
                                        false,
                                        "default/" + pod.ref().name().split("-")[0],
                                        List.of())),
                        NODES))
                .map(result -> String.join(",", result.feasible()))
                .toList();
    }

    private void refuse(List<PodState> gang) {
        conditions++;
        gang.forEach(pod -> cluster.put(PodBuilder.pod(pod.ref())
                .unschedulable(true)
                .failure("pod group is unschedulable " + conditions)
                .containers(pod.containers())
                .build()));
        cluster.showAll();
    }

    private long reserved() {
        return ledger.reservations(Source.FILTER::equals).size();
    }
}
