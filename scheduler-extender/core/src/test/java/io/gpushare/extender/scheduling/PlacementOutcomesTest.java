package io.gpushare.extender.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.feasibility.FilterResult;
import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.placement.PlacementOutcomes;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.model.pod.PodState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Filter and bind after earlier placements failed: no bind came, or the kubelet rejected the pod. */
class PlacementOutcomesTest {
    private static final List<String> NODES = List.of("n1", "n2", "n3");
    private static final Map<String, String> REQUEST = Map.of("aliyun.com/gpu-mem", "3");

    private long nanos;
    private final Placer placer = TestCluster.placer();
    private final Ledger ledger = placer.ledger();
    private final TestCluster cluster = new TestCluster(new Random(1), ledger);
    private final PlacementOutcomes outcomes = new PlacementOutcomes(() -> nanos);
    private final NodeSelection selection = new NodeSelection(placer, outcomes, DecideIn.FILTER);
    private final Binder binder = new Binder(placer, cluster, outcomes, () -> TestCluster.NOW);
    private PodState pod = cluster.create("p", REQUEST);

    @BeforeEach
    void nodes() {
        NODES.forEach(node -> cluster.node(node, TestCluster.cards(15)));
        cluster.showAll();
    }

    @Test
    void afterThreeTimesWithoutABindFilterNamesTheNextBestNode() {
        String first = named();
        assertThat(List.of(named(), named())).containsOnly(first);
        String second = named();
        assertThat(second).isNotEqualTo(first);
        assertThat(filter().why(NODES.indexOf(first))).isEqualTo(Reason.PASSED_OVER);
        assertThat(named()).as("every node was named: it starts anew").isEqualTo(first);
    }

    @Test
    void aBindThatComesAndThePodsEndResetTheCount() {
        String first = named();
        named();
        named();
        cluster.failing = 100;
        assertThat(binder.bind(pod.ref(), first, TestCluster.NOW)).isInstanceOf(BindResult.Failed.class);
        assertThat(named()).isEqualTo(first);
        named();
        named();
        outcomes.forget(pod.ref().uid());
        assertThat(named()).isEqualTo(first);
    }

    @Test
    void otherPodsAreNotAffected() {
        String first = named();
        named();
        named();
        named();
        PodState other = cluster.create("q", REQUEST);
        cluster.showAll();
        assertThat(selection.filter(scheduling(other), NODES).feasible()).containsExactly(first);
    }

    @Test
    void aNodeThatRejectedAPodGetsNoneWhileAnotherFits() {
        String first = named();
        bindAndReject(first);
        for (int i = 0; i < 2; i++) {
            next("after " + i);
            assertThat(named()).isNotEqualTo(first);
        }
        assertThat(filter().why(NODES.indexOf(first))).isEqualTo(Reason.BACKING_OFF);
    }

    @Test
    void theOnlyNodeGetsOnePodAtATimeAtABoundedRate() {
        NODES.subList(1, 3).forEach(cluster::nodeGone);
        cluster.showAll();
        int rejected = 0;
        for (int second = 0; second < 600; second++) {
            nanos += Duration.ofSeconds(1).toNanos();
            for (int i = 0; i < 5; i++) {
                next("p-" + second + "-" + i);
                if (filter().passed() == 1 && bind("n1") instanceof BindResult.Bound) {
                    rejected++;
                    reject();
                }
            }
        }
        // At once and after 5, 10, 20, 40, 80 and 160 seconds.
        assertThat(rejected).isEqualTo(7);
    }

    @Test
    void aBindBesideTheOneThatTriesTheNodeAgainIsRefused() {
        bindAndReject("n1");
        nanos += Duration.ofSeconds(5).toNanos();
        next("q");
        assertThat(bind("n1")).isInstanceOf(BindResult.Bound.class);
        PodState tries = pod;
        next("r");
        assertThat(bind("n1"))
                .isEqualTo(new BindResult.Failed(BindResult.Why.NO_CAPACITY, Reason.BACKING_OFF.sentence()));
        outcomes.admissions().admitted(tries.ref().uid());
        assertThat(bind("n1")).isInstanceOf(BindResult.Bound.class);
    }

    private String named() {
        FilterResult filtered = filter();
        assertThat(filtered.passed()).isEqualTo(1);
        return filtered.feasible().getFirst();
    }

    private FilterResult filter() {
        return selection.filter(scheduling(pod), NODES);
    }

    private static SchedulingPod scheduling(PodState pod) {
        return new SchedulingPod(pod.ref(), 0, pod.annotations(), pod.containers());
    }

    private void next(String name) {
        pod = cluster.create(name, REQUEST);
        cluster.showAll();
    }

    private BindResult bind(String node) {
        return binder.bind(pod.ref(), node, TestCluster.NOW);
    }

    private void bindAndReject(String node) {
        assertThat(bind(node)).isInstanceOf(BindResult.Bound.class);
        reject();
    }

    /** The kubelet rejects the pod, and its owner deletes it. */
    private void reject() {
        outcomes.admissions().rejected(pod.ref().uid());
        cluster.delete(pod.ref().name());
        cluster.showAll();
    }
}
