package io.gpushare.extender.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.PodBuilder;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.codec.AllocationCodec;
import io.gpushare.model.codec.InventoryCodec;
import io.gpushare.model.pod.PodPriority;
import io.gpushare.model.pod.PodState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class WaitingPodsTest {
    private static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");
    private static final Duration INTERVAL = Duration.ofMillis(250);

    private final Placer placer = TestCluster.placer();
    private final Ledger ledger = placer.ledger();
    private final WaitingPods waiting = new WaitingPods(ledger);
    private Instant now = NOON;

    @Test
    void aPodIsNamedOnceWhenItsMemoryIsFreeAndNotWhileItIsNot() {
        node("n1", TestCluster.cards(15));
        runs("other", "n1", 15);
        unschedulable("p", 0, 0, 10);
        assertThat(rounds(Duration.ofSeconds(10))).isEmpty();
        ledger.removePod(ref("other"));
        assertThat(round()).as("kube-scheduler may retry by itself first").isEmpty();
        assertThat(round()).containsExactly("p");
        ledger.updatePod(pod("p", "n1", false, PodPriority.DEFAULT, 10));
        assertThat(rounds(Duration.ofMinutes(10))).isEmpty();
    }

    @Test
    void aThousandPodsWaitForOneCardAndTakeTurns() {
        node("n1", TestCluster.cards(15));
        runs("other", "n1", 15);
        for (int i = 0; i < 1000; i++) {
            unschedulable("p" + i, i == 700 ? 1 : 0, 1000 - i, 10);
        }
        round();
        ledger.removePod(ref("other"));
        List<String> named = rounds(Duration.ofSeconds(60));
        assertThat(named).hasSizeBetween(40, 60).startsWith("p700", "p999", "p998");
        assertThat(new HashSet<>(named)).as("each has its turn").hasSameSizeAs(named);
    }

    @Test
    void aPodIsNamedSoonEvenIfManyPodsThatFitNowhereWaitToo() {
        node("n1", TestCluster.cards(15));
        for (int i = 0; i < 10 * WaitingPods.DEMANDS_PER_ROUND; i++) {
            unschedulable("large" + i, 0, i, 16 + i);
        }
        rounds(Duration.ofMinutes(1));
        assertThat(waiting.counts()).containsEntry(WaitReason.IMPOSSIBLE, 10 * WaitingPods.DEMANDS_PER_ROUND);
        unschedulable("p", 0, 0, 10);
        assertThat(rounds(INTERVAL.multipliedBy(3))).containsExactly("p");
    }

    @Test
    void asManyPodsAreNamedAsFit() {
        node("n1", TestCluster.cards(15, 15));
        for (int i = 0; i < 10; i++) {
            unschedulable("p" + i, 0, i, 5);
        }
        round();
        assertThat(round()).containsExactly("p0", "p1", "p2", "p3", "p4", "p5");
    }

    @Test
    void aPodThatStaysUnboundIsNamedAtGrowingIntervalsUntilAnotherNodeFits() {
        node("n1", TestCluster.cards(15));
        unschedulable("tainted", 0, 0, 10);
        assertThat(rounds(Duration.ofHours(1))).hasSizeBetween(10, 25);
        node("n2", TestCluster.cards(15));
        assertThat(rounds(Duration.ofSeconds(2))).containsOnly("tainted").isNotEmpty();
    }

    @Test
    void onlyPodsForWhichNoNodeWasFoundAreNamed() {
        node("n1", TestCluster.cards(15, 15, 15, 15));
        ledger.updatePod(pod("new", null, false, PodPriority.DEFAULT, 1));
        ledger.updatePod(pod("terminating", null, true, new PodPriority(0, NOON, true), 1));
        unschedulable("gone", 0, 0, 1);
        ledger.removePod(ref("gone"));
        unschedulable("elsewhere", 0, 0, 1);
        ledger.updatePod(pod("elsewhere", "n1", true, PodPriority.DEFAULT, 1));
        assertThat(rounds(Duration.ofSeconds(10))).isEmpty();
    }

    @Test
    void aPodFitsOnlyIfTheKubeletHasItAllocatable() {
        node("n1", TestCluster.cards(15));
        ledger.updateAllocatable("n1", Map.of("aliyun.com/gpu-mem", "15", "aliyun.com/gpu-count", "0"));
        unschedulable("whole", 0, 0, 0);
        assertThat(rounds(Duration.ofSeconds(10))).isEmpty();
        ledger.updateAllocatable("n1", Map.of("aliyun.com/gpu-mem", "15", "aliyun.com/gpu-count", "1"));
        assertThat(rounds(Duration.ofMillis(750))).containsExactly("whole");
    }

    @Test
    void splitMemoryFitsOnlyIfTheKubeletHasAllOfItAllocatable() {
        node("n1", TestCluster.cards(15, 15));
        ledger.updateAllocatable("n1", Map.of("aliyun.com/gpu-mem", "15"));
        unschedulable("split", 20, Map.of("gpushare.io/cards", "2"));
        assertThat(rounds(Duration.ofSeconds(10))).isEmpty();
        ledger.updateAllocatable("n1", Map.of("aliyun.com/gpu-mem", "30"));
        assertThat(rounds(Duration.ofMillis(750))).containsExactly("split");
    }

    @Test
    void aPodWaitsWhileTheOnlyNodeIsNotRenewedAndIsNamedAfterwards() {
        node("n1", TestCluster.cards(15));
        ledger.updateStale(Set.of("n1"));
        unschedulable("p", 0, 0, 5);
        assertThat(rounds(Duration.ofSeconds(10))).isEmpty();
        assertThat(waiting.counts()).containsEntry(WaitReason.FULL, 1);
        ledger.updateStale(Set.of());
        assertThat(rounds(Duration.ofMillis(750))).containsExactly("p");
    }

    @Test
    void podsAreCountedByReason() {
        node("n1", TestCluster.cards(15, 15));
        runs("first", "n1", 10, "GPU-0");
        runs("second", "n1", 10, "GPU-1");
        unschedulable("fits", 0, 0, 5);
        unschedulable("fragmented", 0, 0, 6);
        unschedulable("fragmented-too", 0, 0, 10);
        unschedulable("full", 0, 0, 11);
        unschedulable("whole", 0, 0, 0);
        unschedulable("too-large", 0, 0, 16);
        round();
        assertThat(waiting.counts())
                .isEqualTo(Map.of(
                        WaitReason.FITS,
                        1,
                        WaitReason.FRAGMENTED,
                        2,
                        WaitReason.FULL,
                        2,
                        WaitReason.IMPOSSIBLE,
                        1,
                        WaitReason.INVALID,
                        0,
                        WaitReason.GATED,
                        0));
        ledger.removePod(ref("first"));
        ledger.removePod(ref("too-large"));
        round();
        assertThat(waiting.counts()).isEqualTo(Map.of(WaitReason.FITS, 5, WaitReason.INVALID, 0, WaitReason.GATED, 0));
    }

    @Test
    void aPodWithAnInvalidAnnotationIsCountedAndNotNamed() {
        node("n1", TestCluster.cards(15));
        unschedulable("selects", 5, Map.of("gpushare.io/select", "memory > lots"));
        unschedulable("no-policy", 5, Map.of("gpushare.io/policy", "luck"));
        unschedulable("edited", 5, Map.of());
        unschedulable("edited", 5, Map.of("gpushare.io/cards", "many"));
        assertThat(rounds(Duration.ofSeconds(10))).isEmpty();
        assertThat(waiting.counts()).isEqualTo(Map.of(WaitReason.INVALID, 3, WaitReason.GATED, 0));
        unschedulable("no-policy", 5, Map.of("gpushare.io/policy", "spread"));
        assertThat(rounds(Duration.ofMillis(750))).containsExactly("no-policy");
        assertThat(waiting.counts()).isEqualTo(Map.of(WaitReason.INVALID, 2, WaitReason.GATED, 0, WaitReason.FITS, 1));
    }

    private void unschedulable(String name, int units, Map<String, String> annotations) {
        PodState pod = pod(name, null, true, PodPriority.DEFAULT, units);
        ledger.updatePod(PodBuilder.pod(pod.ref())
                .unschedulable(true)
                .annotations(annotations)
                .containers(pod.containers())
                .build());
    }

    private List<String> rounds(Duration time) {
        List<String> named = new ArrayList<>();
        for (Instant end = now.plus(time); now.isBefore(end); ) {
            named.addAll(round());
        }
        return named;
    }

    private List<String> round() {
        now = now.plus(INTERVAL);
        return waiting.due(now).stream().map(PodRef::name).toList();
    }

    private void node(String name, Inventory inventory) {
        ledger.updateAllocatable(name, Map.of("aliyun.com/gpu-mem", "1k", "aliyun.com/gpu-count", "9"));
        ledger.updateNode(name, annotations(inventory), HostResources.NONE);
    }

    private static Map<String, String> annotations(Inventory inventory) {
        return Map.of("gpushare.io/inventory", InventoryCodec.encode(inventory));
    }

    private void runs(String name, String node, int units) {
        runs(name, node, units, "GPU-0");
    }

    private void runs(String name, String node, int units, String card) {
        PodState pod = pod(name, node, false, PodPriority.DEFAULT, units);
        ledger.updatePod(PodBuilder.pod(pod.ref())
                .on(node)
                .annotations(Map.of(
                        "gpushare.io/allocation",
                        AllocationCodec.annotations(
                                        TestCluster.memory(card, units), TestCluster.cards(15), "n1", List.of(), NOON)
                                .getOrDefault("gpushare.io/allocation", "")))
                .containers(pod.containers())
                .build());
    }

    private void unschedulable(String name, int priority, int age, int units) {
        ledger.updatePod(pod(name, null, true, new PodPriority(priority, NOON.plusSeconds(age), false), units));
    }

    /** A pod that requests that many units; a whole card for 0. */
    private static PodState pod(
            String name, @Nullable String node, boolean unschedulable, PodPriority priority, int units) {
        Map<String, String> requests =
                units == 0 ? Map.of("aliyun.com/gpu-count", "1") : Map.of("aliyun.com/gpu-mem", String.valueOf(units));
        return PodBuilder.pod(ref(name))
                .on(node)
                .priority(priority)
                .unschedulable(unschedulable)
                .requesting(requests)
                .build();
    }

    private static PodRef ref(String name) {
        return new PodRef("uid-" + name, "default", name);
    }
}
