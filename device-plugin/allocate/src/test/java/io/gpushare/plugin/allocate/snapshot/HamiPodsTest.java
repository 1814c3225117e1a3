package io.gpushare.plugin.allocate.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.codec.Decoded;
import io.gpushare.model.ledger.CardState;
import io.gpushare.plugin.allocate.devices.DeviceLists;
import io.gpushare.plugin.allocate.devices.DeviceLists.Offered;
import io.gpushare.plugin.allocate.devices.DeviceResource;
import io.gpushare.plugin.allocate.snapshot.AnnotationDifference.Kind;
import io.gpushare.plugin.allocate.snapshot.KubeletCheckpoint.NamedCard;
import io.gpushare.plugin.node.pod.NodePod;
import io.gpushare.plugin.node.pod.PodName;
import io.gpushare.plugin.node.pod.TestPods;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Pods that HAMi bound, on a node of our device plugin, in every stage. */
class HamiPodsTest {
    private static final CardId A = new CardId("GPU-a");
    private static final CardId B = new CardId("GPU-b");
    private static final Inventory CARDS = new Inventory(
                    MemoryUnit.GIB,
                    null,
                    List.of(Card.of("GPU-a", 0, Memory.ofGib(15)), Card.of("GPU-b", 1, Memory.ofGib(15))))
            .withBeside(Share.ALL_CORES.plus(Share.slots(10)));
    private static final NodeSnapshot EMPTY = NodeSnapshot.of(CARDS);
    private static final Share SLOT = Share.slots(1);
    private static final ContainerDemand HALF =
            container(Share.cores(30).plus(Share.slots(1)).plus(Share.part(50)));
    private static final String ON_B = "GPU-b,NVIDIA,7680,30:;";
    private static final Share HALF_OF_B = Share.memory(8).plus(Share.cores(30)).plus(Share.slots(1));

    @Test
    void anAssignedPodWaitsForTheCardThatHamiChose() {
        NodeSnapshot waiting = EMPTY.withPod(TestPods.hami("p", allocated(ON_B, "allocating"), HALF))
                .withListed(TestLists.listed("p"), TestPods.START);

        assertThat(held(waiting)).containsExactly(Share.NONE, Share.NONE);
        assertThat(shares(waiting.allocations().reserved().cards())).containsExactly(Share.NONE, HALF_OF_B);
        assertCapacityAddsUp(waiting, 1);
        assertThat(kinds(waiting)).isEmpty();
    }

    @Test
    void aPodWithDevicesOfHamisPluginHasWhatItsAnnotationSays() {
        NodeSnapshot allocating = devices(EMPTY.withPod(TestPods.hami("p", allocated(ON_B, "allocating"), HALF)));
        NodeSnapshot started = EMPTY.withPod(TestPods.started(TestPods.hami("p", allocated(ON_B, "success"), HALF)));
        for (NodeSnapshot running : List.of(allocating, started, recorded(allocating, B), recorded(started, B))) {
            assertThat(held(running)).containsExactly(Share.NONE, HALF_OF_B);
            assertThat(kinds(running)).containsExactly(Kind.ADOPTED);
            assertCapacityAddsUp(running, 1);
        }
    }

    /** HAMi wrote that for containers that request nothing. */
    @Test
    void aDeviceOfNothingBesideTheCardIsNoDoubt() {
        NodePod pod = TestPods.hami("p", allocated(",,0,0:;" + ON_B + ",,0,0:;", "success"), HALF);
        assertThat(held(devices(EMPTY.withPod(pod)))).containsExactly(Share.NONE, HALF_OF_B);
    }

    /** NVML answers late, and the kubelet's record of a percentage comes first. */
    @Test
    void aRecordedPercentageCountsOnceTheCardIsFound() {
        NodePod pod = TestPods.started(TestPods.hami("p", allocated(ON_B, "success"), HALF));
        NodeSnapshot early = recorded(
                NodeSnapshot.of(new Inventory(MemoryUnit.GIB, null, List.of())).withPod(pod), B);

        assertThat(held(early)).isEmpty();
        assertThat(held(early.withInventory(CARDS))).containsExactly(Share.NONE, HALF_OF_B);
    }

    @Test
    void anAdoptedPodKeepsItsCardByOurAnnotation() {
        NodePod pod = TestPods.hami("p", allocated(ON_B, "success"), HALF);
        NodeSnapshot found = devices(EMPTY.withPod(pod));
        AnnotationDifference written = AnnotationDifference.of(found).getFirst();
        Map<String, String> annotations = new HashMap<>(allocated("forged", "success"));
        annotations.putAll(written.annotations(CARDS, "n1", Instant.EPOCH));
        assertThat(written.annotations(CARDS, "n1", Instant.EPOCH))
                .containsOnlyKeys("gpushare.io/allocation", "hami.io/bind-phase");
        NodePod hami = TestPods.hami("p", annotations, HALF);
        NodePod adopted = new NodePod(
                hami.ref(),
                hami.created(),
                false,
                hami.demand(),
                new Decoded.Valid<>(written.actual().orElseThrow()),
                List.of("main"),
                false,
                Map.of(),
                Set.of(),
                hami.foreign(),
                List.of(),
                Set.of());
        for (NodeSnapshot running : List.of(devices(EMPTY.withPod(adopted)), recorded(EMPTY.withPod(adopted), B))) {
            assertThat(held(running)).containsExactly(Share.NONE, HALF_OF_B);
            assertThat(kinds(running)).isEmpty();
            assertCapacityAddsUp(running, 1);
        }
    }

    @Test
    void anEndedPodHasNothing() {
        for (String phase : List.of("failed", "success", "allocating")) {
            NodePod failed = TestPods.ended(TestPods.hami("p", allocated(ON_B, phase), HALF));
            assertThat(held(devices(EMPTY.withPod(failed)))).containsExactly(Share.NONE, Share.NONE);
        }
    }

    @Test
    void aPodThatEndedWaitsForItsCardsNoLonger() {
        NodePod refused = TestPods.ended(TestPods.hami("p", allocated(ON_B, "allocating"), HALF));
        NodeSnapshot snapshot = EMPTY.withPod(refused);
        assertThat(kinds(snapshot)).containsExactly(Kind.WITHDRAWN);
        assertThat(AnnotationDifference.of(snapshot).getFirst().annotations(CARDS, "n1", Instant.EPOCH))
                .containsExactly(Map.entry("hami.io/bind-phase", "failed"));
        for (String phase : List.of("failed", "success")) {
            NodePod ended = TestPods.ended(TestPods.hami("p", allocated(ON_B, phase), HALF));
            assertThat(kinds(EMPTY.withPod(ended))).isEmpty();
        }
    }

    @Test
    void aMalformedAnnotationFreesNothingAndTheKubeletsRecordDecides() {
        for (String written : List.of("", "x", "GPU-a,NVIDIA,1,30:;", "GPU-a,NVIDIA,7680,30:GPU-b,NVIDIA,7680,30:;")) {
            NodeSnapshot snapshot = devices(EMPTY.withPod(TestPods.hami("p", allocated(written, "success"), HALF)));
            Share floor = Share.memory(7).plus(Share.cores(30)).plus(Share.slots(1));
            assertThat(held(snapshot)).containsExactly(floor, floor);
            assertThat(kinds(snapshot)).isEmpty();
            assertThat(held(recorded(snapshot, B))).containsExactly(Share.NONE, floor);
            assertThat(kinds(recorded(snapshot, B))).containsExactly(Kind.ADOPTED);
        }
        NodeSnapshot unannotated = devices(EMPTY.withPod(TestPods.hami("p", Map.of(), HALF)));
        assertThat(held(unannotated)).doesNotContain(Share.NONE);
    }

    @Test
    void anAnnotationOfAnotherCardThanTheRecordedOneIsForged() {
        NodeSnapshot forged = devices(EMPTY.withPod(TestPods.hami("p", allocated(ON_B, "success"), HALF)));
        assertThat(held(recorded(forged, A)))
                .containsExactly(Share.memory(7).plus(Share.cores(30)).plus(Share.slots(1)), Share.NONE);
    }

    @Test
    void podsOfAllVocabulariesShareANodeAndCapacityAddsUp() {
        ContainerDemand whole = container(Share.WHOLE_CARD.plus(Share.slots(1)));
        NodePod one = TestPods.hami("one", allocated(ON_B, "success"), HALF);
        NodePod two = TestPods.hami(
                "two",
                allocated("GPU-b,NVIDIA,2048,0:;", "success"),
                container(Share.memory(2).plus(Share.slots(1))));
        NodePod alone = TestPods.hami("alone", allocated("GPU-a,NVIDIA,15360,100:;", "success"), whole);
        NodePod memory = TestPods.onCard("memory", 0, B, 3);
        NodeSnapshot node = EMPTY.withPod(one)
                .withPod(two)
                .withPod(alone)
                .withPod(memory)
                .withListed(
                        new PodResourcesList(Map.of(
                                // Two of HAMi's pods may have IDs of one card and other numbers than ours.
                                new PodName("default", "one"), Map.of("main", Set.of("nvidia.com/gpu=GPU-a::0")),
                                new PodName("default", "two"), Map.of("main", Set.of("nvidia.com/gpu=GPU-a::19")),
                                new PodName("default", "alone"), Map.of("main", Set.of("nvidia.com/gpu=GPU-b::0")),
                                new PodName("default", "memory"),
                                        Map.of("main", Set.of("GPU-b::0", "GPU-b::1", "GPU-b::2")))),
                        TestPods.START);

        assertThat(held(node))
                .containsExactly(
                        Share.WHOLE_CARD.plus(SLOT),
                        Share.memory(13).plus(Share.cores(30)).plus(Share.slots(2)));
        // Free are 2 units and 8 slots of B; the scheduler counts 3 units and 3 slots as requested.
        assertThat(healthy(node, DeviceResource.MEMORY)).isEqualTo(2 + 3);
        assertThat(healthy(node, DeviceResource.SLOTS)).isEqualTo(8 + 3);
        assertThat(healthy(node, DeviceResource.CARDS)).isZero();

        NodeSnapshot left = node.withoutPod("uid-one").withoutPod("uid-two").withoutPod("uid-alone");
        assertThat(healthy(left, DeviceResource.MEMORY)).isEqualTo(30);
        assertThat(healthy(left, DeviceResource.SLOTS)).isEqualTo(20);
        assertThat(healthy(left, DeviceResource.CARDS)).isOne();
    }

    @Test
    void eachContainerOfAPodFindsASlotOfItsCard() {
        Share whole = Share.SLOTTED_CARD;
        NodePod pod = TestPods.annotated(
                TestPods.unannotated(
                        "p",
                        0,
                        new ContainerDemand("c0", ContainerRole.APP, whole),
                        new ContainerDemand("c1", ContainerRole.APP, whole)),
                TestPods.allocation(given("c0", A), given("c1", B)));
        NodeSnapshot bound = EMPTY.withPod(pod);
        assertThat(slots(bound)).containsExactly("GPU-a::s0", "GPU-b::s0");

        NodeSnapshot first = answered(bound, pod, given("c0", A), "GPU-a::s0");
        assertThat(slots(first)).containsExactly("GPU-a::s0", "GPU-b::s0");

        NodeSnapshot both = answered(first, pod, given("c1", B), "GPU-b::s0");
        assertThat(slots(both)).containsExactly("GPU-a::s0", "GPU-b::s0");
        assertThat(slots(both.withoutPod("uid-p"))).hasSize(20);
    }

    private static ContainerAllocation given(String container, CardId card) {
        return new ContainerAllocation(container, ContainerRole.APP, Map.of(card, Share.SLOTTED_CARD));
    }

    private static NodeSnapshot answered(NodeSnapshot node, NodePod pod, ContainerAllocation given, String id) {
        return node.withAnsweredCall(new AnsweredCall(pod.ref(), given, Set.of(id), TestPods.START));
    }

    private static List<String> slots(NodeSnapshot node) {
        return DeviceLists.of(node.allocations()).list(DeviceResource.SLOTS).stream()
                .filter(Offered::healthy)
                .map(Offered::id)
                .toList();
    }

    @Test
    void aCordonedCardKeepsAsManySlotsAsItsPodsRequest() {
        NodeSnapshot snapshot = devices(EMPTY.withPod(TestPods.hami("p", allocated(ON_B, "success"), HALF)))
                .withInventory(CARDS.withCordoned(Set.of(B)));
        assertThat(healthy(snapshot, DeviceResource.SLOTS)).isEqualTo(10 + 1);
        assertThat(healthy(snapshot, DeviceResource.MEMORY)).isEqualTo(15);
    }

    /** Of each resource, as many devices are healthy as are free, and beside them what the scheduler counts. */
    private static void assertCapacityAddsUp(NodeSnapshot snapshot, int requestedSlots) {
        List<CardState> cards = snapshot.allocations().reserved().cards();
        assertThat(healthy(snapshot, DeviceResource.MEMORY))
                .isEqualTo(cards.stream().mapToInt(card -> card.free().units()).sum());
        assertThat(healthy(snapshot, DeviceResource.SLOTS))
                .isEqualTo(cards.stream().mapToInt(card -> card.free().slots()).sum() + requestedSlots);
        assertThat(healthy(snapshot, DeviceResource.CARDS))
                .isEqualTo(cards.stream().filter(CardState::unused).count());
    }

    /** The kubelet lists a device of HAMi's plugin, whose ID may name another card. */
    private static NodeSnapshot devices(NodeSnapshot snapshot) {
        return snapshot.withListed(TestLists.withDevices("p", "main", "nvidia.com/gpu=GPU-a::3"), TestPods.START);
    }

    private static NodeSnapshot recorded(NodeSnapshot snapshot, CardId card) {
        return devices(snapshot)
                .withCheckpoint(KubeletCheckpoint.of(List.of(new KubeletCheckpoint.Entry(
                        "uid-p",
                        "main",
                        "nvidia.com/gpu",
                        Set.of("nvidia.com/gpu=GPU-a::3"),
                        List.of(new NamedCard.ByUuid(card))))));
    }

    private static Map<String, String> allocated(String devices, String phase) {
        return Map.of(
                "hami.io/vgpu-devices-allocated", devices, "hami.io/vgpu-node", "n1", "hami.io/bind-phase", phase);
    }

    private static ContainerDemand container(Share request) {
        return new ContainerDemand("main", ContainerRole.APP, request);
    }

    private static List<Share> held(NodeSnapshot snapshot) {
        return shares(snapshot.allocations().assigned().cards());
    }

    private static List<Share> shares(List<CardState> cards) {
        return cards.stream().map(CardState::allocated).toList();
    }

    private static List<Kind> kinds(NodeSnapshot snapshot) {
        return AnnotationDifference.of(snapshot).stream()
                .map(AnnotationDifference::kind)
                .toList();
    }

    private static int healthy(NodeSnapshot snapshot, DeviceResource resource) {
        return Math.toIntExact(DeviceLists.of(snapshot.allocations()).list(resource).stream()
                .filter(Offered::healthy)
                .count());
    }
}
