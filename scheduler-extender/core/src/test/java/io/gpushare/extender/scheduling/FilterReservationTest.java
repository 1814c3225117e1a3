package io.gpushare.extender.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.feasibility.FilterResult;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.Reservation.Source;
import io.gpushare.extender.placement.PlacementOutcomes;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.PodBuilder;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.preemption.Preemption;
import io.gpushare.extender.preemption.Victims;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.codec.InventoryCodec;
import io.gpushare.model.pod.PodState;
import io.gpushare.model.request.ContainerResources;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * From the moment when filter names one node until the bind no other pod gets what the pod was promised there. On a
 * node with two cards of 15 units, pods of 8 units wait for their volumes.
 */
class FilterReservationTest implements PodApi {
    private final Placer placer = TestCluster.placer();
    private final Ledger ledger = placer.ledger();
    private final PlacementOutcomes outcomes = new PlacementOutcomes(() -> 0);
    private Instant now = TestCluster.NOW;
    private final NodeSelection selection = new NodeSelection(placer, outcomes, DecideIn.FILTER, Map::of, () -> now);
    private final Binder binder = new Binder(placer, this, outcomes, () -> TestCluster.NOW);
    private boolean bindFails;

    @BeforeEach
    void oneNodeWithTwoCardsAndTwoPodsWithVolumes() {
        node("n1");
        for (String name : List.of("first", "second", "late")) {
            pending(name, 8, 0, "");
        }
        assertThat(filter("first", 8, 0)).isEqualTo(1);
        assertThat(filter("second", 8, 0)).isEqualTo(1);
    }

    @Test
    void aLaterPodDoesNotGetTheCardOfAPodWhoseVolumeIsBeingPrepared() {
        assertThat(filter("late", 8, 0)).isZero();
        assertThat(bind("late")).as("by another scheduler").isInstanceOf(BindResult.Failed.class);
        assertThat(bind("first")).isInstanceOf(BindResult.Bound.class);
        assertThat(bind("second")).isInstanceOf(BindResult.Bound.class);
        assertThat(reserved()).isZero();
        assertThat(filter("late", 7, 0)).as("what is left").isEqualTo(1);
    }

    /** A policy that spreads would give it the other card, which the second pod needs. */
    @Test
    void aBindLeavesWhatIsReservedForOthers() {
        pending("small", 3, 0, "");
        assertThat(filter("small", 3, 0)).isEqualTo(1);
        pending("large", 12, 0, "");
        assertThat(filter("large", 12, 0)).isZero();
        for (String name : List.of("small", "second", "first")) {
            assertThat(bind(name)).as(name).isInstanceOf(BindResult.Bound.class);
        }
    }

    @Test
    void aPodOfAHigherPriorityIsNotKeptOut() {
        pending("urgent", 15, 100, "");
        assertThat(filter("urgent", 15, 100)).isEqualTo(1);
        assertThat(bind("urgent")).isInstanceOf(BindResult.Bound.class);
        assertThat(bind("first")).as("one of the two still fits").isInstanceOf(BindResult.Bound.class);
        assertThat(bind("second")).isInstanceOf(BindResult.Failed.class);
        assertThat(reserved()).isZero();
    }

    /** The first pod was promised what an important pod then took. It may not take it back from a pod after that. */
    @Test
    void whatAnImportantPodLeftCountsForThePodThatWasPromisedItWhenThatPodIsGone() {
        ledger.removePod(ref("first"));
        ledger.removePod(ref("second"));
        pending("other", 15, 0, "");
        assertThat(bind("other")).as("leaves one card").isInstanceOf(BindResult.Bound.class);
        pending("first", 12, 0, "");
        assertThat(filter("first", 12, 0)).isEqualTo(1);
        pending("urgent", 5, 100, "");
        assertThat(bind("urgent")).isInstanceOf(BindResult.Bound.class);
        pending("late", 10, 0, "");
        now = now.plusNanos(1);
        assertThat(filter("late", 10, 0)).isEqualTo(1);
        ledger.removePod(ref("urgent"));
        assertThat(filter("late", 10, 0)).as("as before").isEqualTo(1);
        assertThat(reserved()).isEqualTo(2);
        assertThat(bind("late")).isInstanceOf(BindResult.Bound.class);
        assertThat(bind("first")).isInstanceOf(BindResult.Failed.class);
    }

    @Test
    void itEndsWithTheNextFilterThatNamesNoNode() {
        assertThat(selection.filter(pod("first", 8, 0), List.of()).passed()).isZero();
        assertThat(filter("late", 8, 0)).isEqualTo(1);
    }

    @Test
    void itEndsWithTheAttemptThatFailsAfterIt() {
        pending("first", 8, 0, "0/1 nodes are available: timed out waiting for volumes");
        assertThat(filter("late", 8, 0)).isEqualTo(1);
    }

    @Test
    void itDoesNotEndWithWhatTheStatusShowedBefore() {
        pending("again", 1, 0, "0/1 nodes are available");
        assertThat(filter("again", 1, 0)).isEqualTo(1);
        pending("again", 1, 0, "0/1 nodes are available");
        assertThat(reserved()).isEqualTo(3);
    }

    @Test
    void itEndsWithThePod() {
        ledger.removePod(ref("first"));
        assertThat(filter("late", 8, 0)).isEqualTo(1);
        assertThat(reserved()).isEqualTo(2);
    }

    @Test
    void itEndsWhenItsTimeIsOver() {
        now = now.plus(NodeSelection.PREPARATION);
        ledger.overReservations(now.minusSeconds(1)).forEach(ledger::endReservation);
        assertThat(reserved()).isEqualTo(2);
        ledger.overReservations(now).forEach(ledger::endReservation);
        assertThat(reserved()).isZero();
    }

    @Test
    void itEndsWhenAnotherExtenderLeads() {
        ledger.endReservations();
        assertThat(reserved()).isZero();
    }

    @Test
    void itEndsWithABindThatFails() {
        bindFails = true;
        assertThat(bind("first")).isInstanceOf(BindResult.Failed.class);
        assertThat(reserved()).isEqualTo(1);
        assertThat(filter("late", 8, 0)).isEqualTo(1);
    }

    /** kube-scheduler's preemption, and its scores. */
    @Test
    void questionsReserveNothing() {
        node("n2");
        new Preemption(placer).preempt(pod("late", 8, 0), Map.of("n2", new Victims(List.of(), 0)));
        selection.prioritize(pod("late", 8, 0), List.of("n2"));
        assertThat(reserved()).isEqualTo(2);
    }

    @Test
    void aPodThatTheWatchHasNotShownYetHasItsCardsOnceItDoes() {
        node("n2");
        assertThat(selection.filter(pod("new", 15, 0), List.of("n2")).passed()).isEqualTo(1);
        assertThat(selection.filter(pod("newer", 15, 0), List.of("n2")).passed())
                .isEqualTo(1);
        pending("new", 15, 0, "");
        assertThat(selection.filter(pod("late", 15, 0), List.of("n2")).passed()).isEqualTo(1);
        pending("newer", 15, 0, "");
        assertThat(selection.filter(pod("late", 1, 0), List.of("n2")).passed())
                .as("both have a card; the second was named while nothing counted for the first")
                .isZero();
        assertThat(binder.bind(ref("new"), "n2", now)).isInstanceOf(BindResult.Bound.class);
        assertThat(binder.bind(ref("newer"), "n2", now)).isInstanceOf(BindResult.Bound.class);
    }

    @Test
    void podsThatAreNotInTheApiTakeNoCardAndLeaveRoomForOthers() {
        node("n2");
        for (int i = 0; i < NodeSelection.MOST_RESERVED; i++) {
            assertThat(selection
                            .filter(pod("unknown-" + i, 15, 0), List.of("n2"))
                            .passed())
                    .isEqualTo(1);
        }
        assertThat(reserved()).isEqualTo(2 + NodeSelection.MOST_UNSEEN);
        pending("known", 15, 0, "");
        assertThat(selection.filter(pod("known", 15, 0), List.of("n2")).passed())
                .isEqualTo(1);
        assertThat(selection.filter(pod("late", 15, 0), List.of("n2")).passed()).isEqualTo(1);
        assertThat(selection.filter(pod("late", 16, 0), List.of("n2")).passed()).isZero();
    }

    /** Over plain HTTP anybody can send the uid of somebody's waiting pod. */
    @Test
    void anotherDemandWithTheUidOfAPodReservesNothingAndEndsNothing() {
        node("n2");
        pending("small", 1, 0, "");
        assertThat(selection.filter(wholeCards("small"), List.of("n2")).passed())
                .isEqualTo(1);
        assertThat(reserved()).isEqualTo(2);
        assertThat(selection.filter(pod("late", 15, 0), List.of("n2")).passed()).isEqualTo(1);
        assertThat(selection.filter(wholeCards("first"), List.of()).passed()).isZero();
        assertThat(selection.filter(pod("first", 8, 9), List.of("n2")).passed())
                .as("with another priority")
                .isEqualTo(1);
        assertThat(reserved()).isEqualTo(2);
        assertThat(filter("late", 8, 0)).as("the first pod still has its card").isZero();
    }

    /** kube-scheduler may ask before the watch shows the pod: what the pod requests counts once it is shown. */
    @Test
    void whatWasReservedForAPodThatIsShownLaterIsNoMoreThanItRequests() {
        node("n2");
        assertThat(selection.filter(wholeCards("new"), List.of("n2")).passed()).isEqualTo(1);
        pending("new", 1, 0, "");
        assertThat(selection.filter(pod("late", 15, 0), List.of("n2")).passed()).isEqualTo(1);
        assertThat(selection.filter(wholeCards("late"), List.of("n2")).passed()).isZero();
    }

    @Test
    void podsThatAreNeverShownKeepNoRoomFromOthersForLong() {
        node("n2");
        for (int i = 0; i < NodeSelection.MOST_UNSEEN; i++) {
            selection.filter(pod("unknown-" + i, 15, 0), List.of("n2"));
        }
        selection.filter(pod("new", 15, 0), List.of("n2"));
        assertThat(reserved()).isEqualTo(2 + NodeSelection.MOST_UNSEEN);
        now = now.plus(NodeSelection.UNSEEN);
        selection.filter(pod("new", 15, 0), List.of("n2"));
        assertThat(reserved()).isEqualTo(3);
    }

    @Test
    void severalNodesThatPassReserveNothing() {
        node("n2");
        NodeSelection prioritized =
                new NodeSelection(placer, outcomes, DecideIn.PRIORITIZE, Map::of, () -> TestCluster.NOW);
        assertThat(prioritized.filter(pod("second", 8, 0), List.of("n1", "n2")).passed())
                .isEqualTo(2);
        assertThat(reserved()).isEqualTo(1);
    }

    /** Another extender may refuse each node that is named. */
    @Test
    void aPodThatIsNamedNodesInVainAgainAndAgainReservesNothing() {
        for (int attempt = 0; attempt < 3; attempt++) {
            assertThat(filter("second", 8, 0)).isEqualTo(1);
        }
        assertThat(reserved()).isEqualTo(1);
        assertThat(filter("late", 8, 0)).isEqualTo(1);
    }

    @Test
    void theNumberIsBounded() {
        for (int i = 0; i < NodeSelection.MOST_RESERVED; i++) {
            node("many-" + i);
            pending("many-" + i, 15, 0, "");
            assertThat(selection
                            .filter(pod("many-" + i, 15, 0), List.of("many-" + i))
                            .passed())
                    .isEqualTo(1);
        }
        assertThat(reserved()).isEqualTo(NodeSelection.MOST_RESERVED);
    }

    private void node(String name) {
        ledger.updateNode(
                name,
                Map.of("gpushare.io/inventory", InventoryCodec.encode(TestCluster.cards(15, 15))),
                HostResources.NONE);
    }

    private void pending(String name, int units, int priority, String failure) {
        ledger.updatePod(shown(name, units, priority, failure));
    }

    private static PodState shown(String name, int units, int priority, String failure) {
        return PodBuilder.pod(ref(name))
                .priority(priority, TestCluster.NOW)
                .unschedulable(!failure.isEmpty())
                .failure(failure)
                .containers(containers(units))
                .build();
    }

    private static PodRef ref(String name) {
        return new PodRef("uid-" + name, "default", name);
    }

    private static List<ContainerResources> containers(int units) {
        return List.of(
                new ContainerResources("main", ContainerRole.APP, Map.of("aliyun.com/gpu-mem", String.valueOf(units))));
    }

    private static SchedulingPod pod(String name, int units, int priority) {
        return new SchedulingPod(ref(name), priority, Map.of(), containers(units));
    }

    /** The same pod as a caller makes it up who wants both cards. */
    private static SchedulingPod wholeCards(String name) {
        return new SchedulingPod(
                ref(name),
                Map.of(),
                List.of(new ContainerResources("main", ContainerRole.APP, Map.of("aliyun.com/gpu-count", "2"))));
    }

    /** How many nodes pass. */
    private int filter(String name, int units, int priority) {
        FilterResult result = selection.filter(pod(name, units, priority), List.of("n1"));
        return result.passed();
    }

    private BindResult bind(String name) {
        return binder.bind(ref(name), "n1", now);
    }

    private long reserved() {
        return ledger.reservations(Source.FILTER::equals).size();
    }

    @Override
    public Optional<PodState> pod(String namespace, String name) {
        return Optional.empty();
    }

    @Override
    public void bind(PodRef pod, String node, Map<String, String> annotations) throws Failure {
        if (bindFails) {
            throw TestCluster.failure(Failure.Reach.ANSWERED, 403);
        }
    }
}
