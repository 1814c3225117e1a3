package io.gpushare.extender.preemption;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.ledger.Reservation;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.PodBuilder;
import io.gpushare.extender.preemption.PreemptionTurns.Ended;
import io.gpushare.extender.scheduling.TestCluster;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.codec.InventoryCodec;
import io.gpushare.model.request.ContainerResources;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PreemptionTurnsTest {
    private static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");
    private static final Duration GRACE = Duration.ofSeconds(30);

    private final Placer placer = TestCluster.placer();
    private final Ledger ledger = placer.ledger();
    private final PreemptionTurns turns = new PreemptionTurns(ledger, new Random(1));
    private Instant now = NOON;

    @BeforeEach
    void addANode() {
        ledger.updateNode(
                "n1",
                Map.of("gpushare.io/inventory", InventoryCodec.encode(TestCluster.cards(15, 15))),
                HostResources.NONE);
    }

    @Test
    void kubeSchedulerHasSomeSecondsToHelpAPod() {
        waits("p", null, null);
        assertThat(due()).isEmpty();
        pass(PreemptionTurns.HEAD_START);
        assertThat(due()).containsExactly("p");
    }

    @Test
    void aPodThatAwaitsCardsIsLeftAloneAndBeginsAnewAfterwards() {
        waits("p", "n1", null);
        pass(Duration.ofMinutes(1));
        assertThat(due()).isEmpty();
        waits("p", null, null);
        assertThat(due()).isEmpty();
        pass(PreemptionTurns.HEAD_START);
        assertThat(due()).containsExactly("p");
    }

    @Test
    void theMostImportantPodComesFirst() {
        waits("low", null, null, 1);
        waits("high", null, null, 9);
        assertThat(due()).isEmpty();
        pass(PreemptionTurns.HEAD_START);
        assertThat(due()).containsExactly("high", "low");
    }

    @Test
    void aPodForWhichNothingCanBeEvictedIsTriedLessAndLessOften() {
        waits("p", null, null);
        int tries = 0;
        for (int second = 0; second < 3600; second++) {
            if (!due().isEmpty()) {
                tries++;
                turns.failed(ref("p"), "why", now);
            }
            pass(Duration.ofSeconds(1));
        }
        assertThat(tries).isBetween(10, 20);
        assertThat(turns.unhelped()).containsExactly("uid-p");
    }

    @Test
    void onlyANewReasonIsReported() {
        waits("p", null, null);
        due();
        assertThat(turns.failed(ref("p"), "a", now)).isTrue();
        assertThat(turns.failed(ref("p"), "a", now)).isFalse();
        assertThat(turns.failed(ref("p"), "b", now)).isTrue();
        assertThat(turns.failed(ref("gone"), "a", now)).isFalse();
    }

    @Test
    void cardsAreReservedForTheGracePeriodAndAMinuteAndThenTheNodeIsPassedOver() {
        waits("p", null, null);
        due();
        evicted(ref("p"));
        waits("p", "n1", "n1");
        pass(GRACE.plusSeconds(59));
        assertThat(turns.ended(now)).isEmpty();
        pass(Duration.ofSeconds(1));
        assertThat(turns.ended(now)).containsExactly(new Ended(ref("p"), "n1", Ended.How.EXPIRED));
        assertThat(turns.passedOver(ref("p"))).containsExactly("n1");
        waits("p", null, null);
        assertThat(turns.ended(now)).isEmpty();
    }

    @Test
    void aReservationEndsOnceWithTheBindingOrTheDeletion() {
        for (String name : List.of("a", "b")) {
            waits(name, null, null);
            due();
            evicted(ref(name));
            waits(name, "n1", "n1");
        }
        ledger.removePod(ref("a"));
        bound("b");
        assertThat(turns.ended(now))
                .containsExactlyInAnyOrder(
                        new Ended(ref("a"), "n1", Ended.How.GONE), new Ended(ref("b"), "n1", Ended.How.BOUND));
        assertThat(turns.ended(now)).isEmpty();
    }

    @Test
    void aPodThatLosesItsCardsToOthersEvictsLessAndLessOften() {
        waits("p", null, null);
        int evictions = 0;
        for (int second = 0; second < 60; second++) {
            if (!due().isEmpty()) {
                evictions++;
                turns.evicted(ref("p"), "n1", now);
            }
            pass(Duration.ofSeconds(1));
        }
        assertThat(evictions).isBetween(3, 4);
    }

    @Test
    void theReservationsOfAnEarlierLeaderEndToo() {
        waits("p", "n1", "n1");
        assertThat(turns.ended(now)).isEmpty();
        pass(Duration.ofMinutes(2));
        assertThat(turns.ended(now)).containsExactly(new Ended(ref("p"), "n1", Ended.How.EXPIRED));
        pass(Duration.ofSeconds(1));
        assertThat(turns.ended(now)).as("while the status still shows it").isEmpty();
        assertThat(turns.ended(now)).isEmpty();
        pass(Duration.ofMinutes(2));
        assertThat(turns.ended(now)).containsExactly(new Ended(ref("p"), "n1", Ended.How.EXPIRED));
    }

    @Test
    void aPodThatIsDeletedDuringTheEvictionsLeavesNoReservation() {
        waits("p", null, null);
        due();
        ledger.removePod(ref("p"));
        evicted(ref("p"));
        assertThat(ledger.reservations(_ -> true)).hasSize(1);
        assertThat(turns.ended(now)).containsExactly(new Ended(ref("p"), "n1", Ended.How.GONE));
        assertThat(ledger.reservations(_ -> true)).isEmpty();
    }

    @Test
    void afterSeveralPodsThatWereNotBoundNothingIsEvictedForGrowingTimes() {
        List<String> served = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            waits("p" + i, null, null);
        }
        for (int second = 0; second < 6 * 3600; second += 2) {
            turns.ended(now).forEach(ended -> waits(ended.pod().name(), null, null));
            List<String> due = due();
            if (!due.isEmpty()) {
                served.add(due.getFirst());
                evicted(ref(due.getFirst()));
                waits(due.getFirst(), "n1", "n1");
            }
            pass(Duration.ofSeconds(2));
        }
        assertThat(served).hasSizeBetween(33, 100);
    }

    private List<String> due() {
        return turns.due(now).stream().map(PodEntry::ref).map(PodRef::name).toList();
    }

    /** Pods are evicted for it on the only node, whose cards are reserved. */
    private void evicted(PodRef pod) {
        ledger.reserve(Reservation.eviction(pod.uid(), "n1", Set.of(), PreemptionTurns.until(GRACE, now)));
        turns.evicted(pod, "n1", now);
    }

    private void pass(Duration time) {
        now = now.plus(time);
    }

    private void waits(String name, @Nullable String nominated, @Nullable String held) {
        waits(name, nominated, held, 5);
    }

    private void waits(String name, @Nullable String nominated, @Nullable String held, int priority) {
        ledger.updatePod(PodBuilder.pod(ref(name))
                .priority(priority, NOON)
                .unschedulable(true)
                .nominatedTo(nominated)
                .heldOn(held)
                .containers(memory())
                .build());
    }

    private void bound(String name) {
        ledger.updatePod(PodBuilder.pod(ref(name))
                .on("n1")
                .priority(5, NOON)
                .containers(memory())
                .build());
    }

    private static List<ContainerResources> memory() {
        return List.of(new ContainerResources("main", ContainerRole.APP, Map.of("aliyun.com/gpu-mem", "10")));
    }

    private static PodRef ref(String name) {
        return new PodRef("uid-" + name, "default", name);
    }
}
