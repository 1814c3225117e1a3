package io.gpushare.extender.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.ledger.Assumption;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.Reservation;
import io.gpushare.extender.ledger.Reservation.Source;
import io.gpushare.extender.placement.PlacementOutcomes;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.PodBuilder;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.preemption.Preemption;
import io.gpushare.extender.preemption.Victims;
import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.codec.AllocationCodec;
import io.gpushare.model.codec.InventoryCodec;
import io.gpushare.model.request.ContainerResources;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The card that a preemptor freed is not given to other pods before the preemptor is bound. */
class NominatedPodsTest {
    private static final Inventory ONE_CARD = TestCluster.cards(16);
    private static final int HIGH = 100;

    private final Placer placer = TestCluster.placer();
    private final Ledger ledger = placer.ledger();
    private final NodeSelection selection = new NodeSelection(placer, new PlacementOutcomes(() -> 0), DecideIn.FILTER);

    @BeforeEach
    void twoNodesOfOneCard() {
        for (String node : List.of("n1", "n2")) {
            ledger.updateNode(
                    node, Map.of("gpushare.io/inventory", InventoryCodec.encode(ONE_CARD)), new HostResources(0, 0));
        }
        nominate("n1");
    }

    @Test
    void aPodOfTheSameOrALowerPriorityDoesNotGetTheCard() {
        assertThat(fits("small", 0, 8, "n1")).isFalse();
        assertThat(fits("small", HIGH, 8, "n1")).isFalse();
        assertThat(fits("small", 0, 4, "n1")).as("beside the nominated pod").isTrue();
        assertThat(fits("small", 0, 8, "n2")).isTrue();
        assertThat(fits("small", 0, 8, "n1", "n2")).isTrue();
    }

    @Test
    void aPodOfAHigherPriorityAndTheNominatedPodItselfGetTheCard() {
        assertThat(fits("more-important", HIGH + 1, 8, "n1")).isTrue();
        assertThat(fits("preemptor", HIGH, 12, "n1")).isTrue();
    }

    /** kube-scheduler may nominate both by its sums. */
    @Test
    void ofTwoPodsOfTheSamePriorityThatAreNominatedToTheNodeOneGetsTheCard() {
        pending("second", HIGH, 12, "n1");
        assertThat(fits("preemptor", HIGH, 12, "n1")).isTrue();
        assertThat(fits("second", HIGH, 12, "n1")).isFalse();
        assertThat(fits("third", HIGH, 12, "n1")).isFalse();
    }

    @Test
    void bindChecksAgain() {
        pending("small", 0, 8, null);
        assertThat(bind("small", 8, "n1")).isInstanceOf(Assumption.Refused.class);
        assertThat(bind("small", 8, "n2")).isInstanceOf(Assumption.Assumed.class);
        assertThat(bind("preemptor", 12, "n1")).isInstanceOf(Assumption.Assumed.class);
    }

    @Test
    void theNominatedPodIsNotCountedTwice() {
        assertThat(bind("preemptor", 12, "n1")).isInstanceOf(Assumption.Assumed.class);
        assertThat(fits("small", 0, 4, "n1")).isTrue();
        assertThat(fits("small", 0, 5, "n1")).isFalse();
    }

    @Test
    void aPodThatIsBoundElsewhereNeedsTheCardNoMore() {
        assertThat(bind("preemptor", 12, "n2")).isInstanceOf(Assumption.Assumed.class);
        assertThat(fits("small", 0, 16, "n1")).isTrue();
    }

    @Test
    void theCardIsFreeOnceThePodIsNominatedElsewhereOrNowhereOrDeleted() {
        nominate("n2");
        assertThat(fits("small", 0, 8, "n1")).isTrue();
        assertThat(fits("small", 0, 8, "n2")).isFalse();
        nominate(null);
        assertThat(fits("small", 0, 8, "n2")).isTrue();
        nominate("n2");
        ledger.removePod(ref("preemptor"));
        assertThat(fits("small", 0, 8, "n2")).isTrue();
    }

    /** Of two victims on the card one is gone: what it held is not free. */
    @Test
    void partsOfTheCardAreKeptWhileVictimsTerminate() {
        running("victim", 8, true);
        assertThat(fits("small", 0, 8, "n1")).isFalse();
    }

    @Test
    void aNominatedPodThatFitsNoMoreBlocksNobody() {
        running("other", 8, false);
        assertThat(fits("small", 0, 8, "n1")).isTrue();
    }

    @Test
    void preemptionDoesNotCountTheCardAsFree() {
        SchedulingPod second = pod("second", HIGH, 12);
        Map<String, Victims> candidates =
                Map.of("n1", new Victims(List.of("uid-web"), 0), "n2", new Victims(List.of(), 0));
        running("old", 12, false, "n2");
        assertThat(new Preemption(placer).preempt(second, candidates))
                .containsExactly(Map.entry("n2", new Victims(List.of("uid-old"), 0)));
    }

    /** The API server's watch may show the hold, and the victim as terminating, long after the eviction. */
    @Test
    void aReservedCardIsKeptBeforeTheWatchShowsTheReservationAndTheTerminatingVictim() {
        nominate(null);
        running("victim", 8, false);
        assertThat(fits("small", 0, 8, "n1")).isTrue();
        reserve("preemptor", "n1", "uid-victim");
        assertThat(fits("small", 0, 8, "n1")).as("beside the victim").isFalse();
        assertThat(bind("small", 8, "n1")).isInstanceOf(Assumption.Refused.class);
        nominate(null);
        assertThat(fits("small", 0, 8, "n1")).as("an older state of the pod").isFalse();
        ledger.removePod(ref("victim"));
        assertThat(fits("small", 0, 8, "n1")).isFalse();
        assertThat(bind("preemptor", 12, "n1")).isInstanceOf(Assumption.Assumed.class);
    }

    @Test
    void aReservedCardIsFreeOnceTheReservationEndsOrThePodIsGone() {
        nominate(null);
        reserve("preemptor", "n1");
        ledger.endReservation(reservation("preemptor", "n1"));
        assertThat(fits("small", 0, 8, "n1")).isTrue();
        reserve("preemptor", "n1");
        ledger.endReservations();
        assertThat(fits("small", 0, 8, "n1")).isTrue();
        reserve("preemptor", "n1");
        ledger.removePod(ref("preemptor"));
        assertThat(fits("small", 0, 8, "n1")).isTrue();
        assertThat(ledger.reservations(source -> source != Source.FILTER)).isEmpty();
    }

    /** kube-scheduler may nominate an older pod to the node, whose own victims leave another card. */
    @Test
    void ofTwoPodsOfTheSamePriorityTheOneForWhichPodsWereEvictedGetsTheCard() {
        pending("preemptor", HIGH, 12, null, Instant.EPOCH.plusSeconds(9));
        pending("a-nominated", HIGH, 12, "n1");
        assertThat(fits("preemptor", HIGH, 12, "n1")).isFalse();
        reserve("preemptor", "n1");
        assertThat(fits("a-nominated", HIGH, 12, "n1")).isFalse();
        assertThat(fits("preemptor", HIGH, 12, "n1")).isTrue();
    }

    private void reserve(String name, String node, String... victims) {
        ledger.reserve(reservation(name, node, victims));
    }

    private static Reservation reservation(String name, String node, String... victims) {
        return Reservation.eviction("uid-" + name, node, Set.of(victims), Instant.MAX);
    }

    private void nominate(@Nullable String node) {
        pending("preemptor", HIGH, 12, node);
    }

    private void pending(String name, int priority, int units, @Nullable String nominated) {
        pending(name, priority, units, nominated, Instant.EPOCH);
    }

    private void pending(String name, int priority, int units, @Nullable String nominated, Instant created) {
        ledger.updatePod(PodBuilder.pod(ref(name))
                .priority(priority, created)
                .unschedulable(true)
                .nominatedTo(nominated)
                .containers(requesting(units))
                .build());
    }

    private void running(String name, int units, boolean terminating) {
        running(name, units, terminating, "n1");
    }

    private void running(String name, int units, boolean terminating, String node) {
        Allocation allocation =
                TestCluster.memory(ONE_CARD.cards().getFirst().id().uuid(), units);
        ledger.updatePod(PodBuilder.pod(ref(name))
                .on(node)
                .terminating(terminating)
                .annotations(AllocationCodec.annotations(allocation, ONE_CARD, "n1", List.of(), TestCluster.NOW))
                .containers(requesting(units))
                .build());
    }

    private boolean fits(String name, int priority, int units, String... nodes) {
        return selection.filter(pod(name, priority, units), List.of(nodes)).passed() > 0;
    }

    private Assumption bind(String name, int units, String node) {
        PodDemand.Valid demand = (PodDemand.Valid) ledger.demand(pod(name, 0, units));
        return placer.assume(ref(name), demand, node, TestCluster.NOW);
    }

    private static SchedulingPod pod(String name, int priority, int units) {
        return new SchedulingPod(ref(name), priority, Map.of(), requesting(units));
    }

    private static PodRef ref(String name) {
        return new PodRef("uid-" + name, "default", name);
    }

    private static List<ContainerResources> requesting(int units) {
        return List.of(
                new ContainerResources("main", ContainerRole.APP, Map.of("aliyun.com/gpu-mem", String.valueOf(units))));
    }
}
