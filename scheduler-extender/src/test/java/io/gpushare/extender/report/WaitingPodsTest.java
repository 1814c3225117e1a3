package io.gpushare.extender.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.pod.ClusterPod;
import io.gpushare.extender.pod.PodPriority;
import io.gpushare.extender.scheduling.TestCluster;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.codec.AllocationCodec;
import io.gpushare.model.codec.ContainerResources;
import io.gpushare.model.codec.InventoryCodec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class WaitingPodsTest {
    private static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");
    private static final Duration LOOK = Duration.ofMillis(250);

    private final Ledger ledger = TestCluster.ledger();
    private final WaitingPods waiting = new WaitingPods(ledger);
    private Instant now = NOON;

    @Test
    void aPodIsNamedOnceWhenItsMemoryIsFreeAndNotWhileItIsNot() {
        node("n1", TestCluster.cards(15));
        runs("other", "n1", 15);
        refused("p", 0, 0, 10);
        assertThat(looks(Duration.ofSeconds(10))).isEmpty();
        ledger.podGone(ref("other"));
        assertThat(look()).as("kube-scheduler's own way").isEmpty();
        assertThat(look()).containsExactly("p");
        ledger.podSeen(pod("p", "n1", false, PodPriority.DEFAULT, 10));
        assertThat(looks(Duration.ofMinutes(10))).isEmpty();
    }

    @Test
    void aThousandWaitForOnePlaceAndTakeTurns() {
        node("n1", TestCluster.cards(15));
        runs("other", "n1", 15);
        for (int i = 0; i < 1000; i++) {
            refused("p" + i, i == 700 ? 1 : 0, 1000 - i, 10);
        }
        look();
        ledger.podGone(ref("other"));
        List<String> named = looks(Duration.ofSeconds(60));
        assertThat(named).hasSizeBetween(40, 60).startsWith("p700", "p999", "p998");
        assertThat(new HashSet<>(named)).as("each has its turn").hasSameSizeAs(named);
    }

    @Test
    void asManyAreNamedAsThereIsRoomFor() {
        node("n1", TestCluster.cards(15, 15));
        for (int i = 0; i < 10; i++) {
            refused("p" + i, 0, i, 5);
        }
        look();
        assertThat(look()).containsExactly("p0", "p1", "p2", "p3", "p4", "p5");
    }

    @Test
    void aPodThatStaysForAnotherReasonIsNamedEverMoreRarelyUntilAnotherNodeCanTakeIt() {
        node("n1", TestCluster.cards(15));
        refused("tainted", 0, 0, 10);
        assertThat(looks(Duration.ofHours(1))).hasSizeBetween(10, 25);
        node("n2", TestCluster.cards(15));
        assertThat(looks(Duration.ofSeconds(2))).containsOnly("tainted").isNotEmpty();
    }

    @Test
    void onlyPodsForWhichNoNodeWasFoundAreNamed() {
        node("n1", TestCluster.cards(15, 15, 15, 15));
        ledger.podSeen(pod("new", null, false, PodPriority.DEFAULT, 1));
        ledger.podSeen(pod("leaving", null, true, new PodPriority(0, NOON, true), 1));
        refused("gone", 0, 0, 1);
        ledger.podGone(ref("gone"));
        refused("elsewhere", 0, 0, 1);
        ledger.podSeen(pod("elsewhere", "n1", true, PodPriority.DEFAULT, 1));
        assertThat(looks(Duration.ofSeconds(10))).isEmpty();
    }

    @Test
    void roomIsWhatTheKubeletOffersToo() {
        node("n1", TestCluster.cards(15));
        ledger.nodeOffers("n1", Map.of("aliyun.com/gpu-mem", "15", "aliyun.com/gpu-count", "0"));
        refused("whole", 0, 0, 0);
        assertThat(looks(Duration.ofSeconds(10))).isEmpty();
        ledger.nodeOffers("n1", Map.of("aliyun.com/gpu-mem", "15", "aliyun.com/gpu-count", "1"));
        assertThat(looks(Duration.ofMillis(750))).containsExactly("whole");
    }

    @Test
    void memoryThatIsSplitIsOfferedOnlyIfAllOfItIs() {
        node("n1", TestCluster.cards(15, 15));
        ledger.nodeOffers("n1", Map.of("aliyun.com/gpu-mem", "15"));
        refused("split", 20, Map.of("gpushare.io/cards", "2"));
        assertThat(looks(Duration.ofSeconds(10))).isEmpty();
        ledger.nodeOffers("n1", Map.of("aliyun.com/gpu-mem", "30"));
        assertThat(looks(Duration.ofMillis(750))).containsExactly("split");
    }

    @Test
    void whyPodsWaitIsTold() {
        node("n1", TestCluster.cards(15, 15));
        runs("first", "n1", 10, "GPU-0");
        runs("second", "n1", 10, "GPU-1");
        refused("fits", 0, 0, 5);
        refused("in-pieces", 0, 0, 6);
        refused("in-pieces-too", 0, 0, 10);
        refused("full", 0, 0, 11);
        refused("whole", 0, 0, 0);
        refused("never", 0, 0, 16);
        look();
        assertThat(waiting.waits())
                .isEqualTo(Map.of(
                        WaitReason.ROOM,
                        1,
                        WaitReason.PIECES,
                        2,
                        WaitReason.FULL,
                        2,
                        WaitReason.NEVER,
                        1,
                        WaitReason.WRONG,
                        0));
        ledger.podGone(ref("first"));
        ledger.podGone(ref("never"));
        look();
        assertThat(waiting.waits()).isEqualTo(Map.of(WaitReason.ROOM, 5, WaitReason.WRONG, 0));
    }

    @Test
    void aPodOnWhichSomethingWrongIsWrittenIsCountedAsThatAndNotNamed() {
        node("n1", TestCluster.cards(15));
        refused("selects", 5, Map.of("gpushare.io/select", "memory > lots"));
        refused("no-policy", 5, Map.of("gpushare.io/policy", "luck"));
        refused("spoilt", 5, Map.of());
        refused("spoilt", 5, Map.of("gpushare.io/cards", "many"));
        assertThat(looks(Duration.ofSeconds(10))).isEmpty();
        assertThat(waiting.waits()).isEqualTo(Map.of(WaitReason.WRONG, 3));
        refused("no-policy", 5, Map.of("gpushare.io/policy", "spread"));
        assertThat(looks(Duration.ofMillis(750))).containsExactly("no-policy");
        assertThat(waiting.waits()).isEqualTo(Map.of(WaitReason.WRONG, 2, WaitReason.ROOM, 1));
    }

    private void refused(String name, int units, Map<String, String> annotations) {
        ClusterPod pod = pod(name, null, true, PodPriority.DEFAULT, units);
        ledger.podSeen(
                new ClusterPod(pod.ref(), null, false, PodPriority.DEFAULT, true, annotations, pod.containers()));
    }

    private List<String> looks(Duration time) {
        List<String> named = new ArrayList<>();
        for (Instant end = now.plus(time); now.isBefore(end); ) {
            named.addAll(look());
        }
        return named;
    }

    private List<String> look() {
        now = now.plus(LOOK);
        return waiting.due(now).stream().map(PodRef::name).toList();
    }

    private void node(String name, Inventory inventory) {
        ledger.nodeOffers(name, Map.of("aliyun.com/gpu-mem", "1k", "aliyun.com/gpu-count", "9"));
        ledger.nodeSeen(name, annotations(inventory), HostResources.NONE);
    }

    private static Map<String, String> annotations(Inventory inventory) {
        return Map.of("gpushare.io/inventory", InventoryCodec.encode(inventory));
    }

    private void runs(String name, String node, int units) {
        runs(name, node, units, "GPU-0");
    }

    private void runs(String name, String node, int units, String card) {
        ClusterPod pod = pod(name, node, false, PodPriority.DEFAULT, units);
        ledger.podSeen(new ClusterPod(
                pod.ref(),
                node,
                false,
                PodPriority.DEFAULT,
                false,
                Map.of(
                        "gpushare.io/allocation",
                        AllocationCodec.annotations(TestCluster.memory(card, units), TestCluster.cards(15), NOON)
                                .getOrDefault("gpushare.io/allocation", "")),
                pod.containers()));
    }

    private void refused(String name, int priority, int age, int units) {
        ledger.podSeen(pod(name, null, true, new PodPriority(priority, NOON.plusSeconds(age), false), units));
    }

    /** A pod of so many units; of a whole card for 0. */
    private static ClusterPod pod(String name, @Nullable String node, boolean refused, PodPriority rank, int units) {
        Map<String, String> asks =
                units == 0 ? Map.of("aliyun.com/gpu-count", "1") : Map.of("aliyun.com/gpu-mem", String.valueOf(units));
        return new ClusterPod(
                ref(name),
                node,
                false,
                rank,
                refused,
                Map.of(),
                List.of(new ContainerResources("main", ContainerRole.APP, asks)));
    }

    private static PodRef ref(String name) {
        return new PodRef("uid-" + name, "default", name);
    }
}
