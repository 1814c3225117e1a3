package io.gpushare.plugin.allocate.allocation;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.codec.Decoded;
import io.gpushare.model.codec.DeviceId;
import io.gpushare.model.request.SelectorCodec;
import io.gpushare.plugin.allocate.snapshot.AnsweredCall;
import io.gpushare.plugin.allocate.snapshot.DeviceIdParser;
import io.gpushare.plugin.allocate.snapshot.NodeSnapshot;
import io.gpushare.plugin.node.container.Outcome;
import io.gpushare.plugin.node.pod.NodePod;
import io.gpushare.plugin.node.pod.TestPods;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CardSelectionTest {
    private static final Card A = Card.of("GPU-a", 0, Memory.ofGib(48));
    private static final Card B = Card.of("GPU-b", 1, Memory.ofGib(24));
    private static final NodeSnapshot EMPTY = NodeSnapshot.of(new Inventory(MemoryUnit.GIB, null, List.of(A, B)));
    private static final NodeSnapshot MPS =
            NodeSnapshot.of(new Inventory(MemoryUnit.GIB, null, List.of(TestPods.mps(B))).withBeside(Share.ALL_CORES));

    @Test
    void theAnnotatedCardIsChosenWhateverCardTheDevicesName() {
        NodePod pod = TestPods.onCard("p", 0, B.id(), 2);

        assertThat(choose(EMPTY, pod, "GPU-a::0", "GPU-a::1"))
                .isEqualTo(new Outcome.Of<>(TestPods.share("main", B.id(), 2)));
    }

    @Test
    void eachContainerOfAPodGetsItsPartOfTheSameCard() {
        NodePod pod = TestPods.annotated(
                TestPods.unannotated("p", 0, TestPods.memory("one", 3), TestPods.memory("two", 4)),
                TestPods.allocation(TestPods.share("one", A.id(), 3), TestPods.share("two", A.id(), 4)));

        var second = pod.demand().valid().orElseThrow().containers().getLast();
        assertThat(new CardSelection(EMPTY, pod, second).among(List.of()))
                .isEqualTo(new Outcome.Of<>(TestPods.share("two", A.id(), 4)));
    }

    @Test
    void theCardThatGpusharesExtenderChoseIsChosenOrRefused() {
        NodePod pod = TestPods.gpushare("p", 2, Map.of("IDX", "1", "DEV", "36", "ASSIGNED", "false"));
        assertThat(choose(EMPTY, pod, "GPU-a::0", "GPU-a::1"))
                .isEqualTo(new Outcome.Of<>(TestPods.share("main", B.id(), 2)));

        NodePod other = TestPods.onCard("q", 1, B.id(), 23);
        NodeSnapshot taken = EMPTY.withPod(other)
                .withAnsweredCall(
                        new AnsweredCall(other.ref(), TestPods.share("main", B.id(), 23), Set.of(), TestPods.START));
        assertRefused(
                choose(taken, pod),
                "the cards allocated to the pod (GPU-b) are in use by other pods (default/q): recreate the pod");
        assertRefused(
                choose(EMPTY, TestPods.gpushare("p", 2, Map.of("IDX", "7"))),
                "ALIYUN_COM_GPU_MEM_IDX names card 7, which this node does not have");
        assertRefused(
                choose(EMPTY, TestPods.gpushare("p", 2, Map.of("IDX", "-1"))),
                "ALIYUN_COM_GPU_MEM_IDX is not the index of a card");
        // It waited while the node's unit changed: it requests 2 MiB now.
        assertRefused(choose(EMPTY, TestPods.gpushare("p", 2, Map.of("IDX", "1", "DEV", "24576"))), "in units of 1MiB");
    }

    @Test
    void theAnnotationMustMatchTheRequest() {
        NodePod pod = TestPods.annotated(
                TestPods.unannotated("p", 0, TestPods.memory("main", 2)),
                TestPods.allocation(TestPods.share("main", A.id(), 1)));

        assertRefused(choose(EMPTY, pod), "gpushare.io/allocation does not match the requests of container 'main'");
    }

    @Test
    void unitsOfAnotherSizeAreRefused() {
        NodePod pod = TestPods.annotated(
                TestPods.unannotated("p", 0, TestPods.memory("main", 2)),
                new Allocation(MemoryUnit.ofMib(256), List.of(TestPods.share("main", A.id(), 2))));

        assertRefused(choose(EMPTY, pod), "allocated in units of 256MiB, but this node uses units of GiB");
    }

    @Test
    void anAbsentOrUnhealthyCardIsRefused() {
        assertRefused(
                choose(EMPTY, TestPods.onCard("p", 0, new CardId("GPU-z"), 2)),
                "card GPU-z, allocated to the pod, is not");
        NodeSnapshot unhealthy = EMPTY.withInventory(
                new Inventory(MemoryUnit.GIB, null, List.of(A.withHealth(new Health.Unhealthy("Xid 79")), B)));
        assertRefused(choose(unhealthy, TestPods.onCard("p", 0, A.id(), 2)), "is unhealthy (Xid 79)");
        // The other container's card.
        NodePod pod = TestPods.annotated(
                TestPods.unannotated("p", 0, TestPods.memory("main", 2), TestPods.cards("whole", 1)),
                TestPods.allocation(
                        TestPods.share("main", B.id(), 2),
                        new ContainerAllocation("whole", ContainerRole.APP, TestPods.wholeCards(A.id()))));
        assertRefused(choose(unhealthy, pod), "card GPU-a, allocated to the pod, is unhealthy (Xid 79)");
    }

    @Test
    void aCardInUseIsRefusedAndOneThatOtherPodsOnlyHaveInTheirAnnotationIsNot() {
        NodePod pod = TestPods.onCard("p", 9, B.id(), 20);
        NodePod other = TestPods.onCard("other", 0, B.id(), 20);
        NodeSnapshot waiting = EMPTY.withPod(other).withPod(pod);

        assertThat(choose(waiting, pod)).isInstanceOf(Outcome.Of.class);
        NodeSnapshot held = waiting.withAnsweredCall(
                new AnsweredCall(other.ref(), TestPods.share("main", B.id(), 20), Set.of(), TestPods.START));
        assertRefused(choose(held, pod), "(GPU-b) are in use by other pods");
    }

    @Test
    void aCardThatIsTooSmallIsNotCalledInUse() {
        assertRefused(
                choose(EMPTY, TestPods.onCard("p", 0, B.id(), 30)),
                "card GPU-b, allocated to the pod, does not have as much: recreate the pod");
    }

    @Test
    void aMalformedAnnotationIsTheReason() {
        NodePod pod = TestPods.pod(
                TestPods.ref("p"),
                TestPods.START,
                false,
                TestPods.unannotated("p", 0, TestPods.memory("main", 2)).demand(),
                new Decoded.Malformed<>("annotation gpushare.io/allocation: it is not JSON"));

        assertRefused(choose(EMPTY, pod), "pod default/p, container 'main': annotation gpushare.io/allocation: it is");
    }

    @Test
    void withoutAnAnnotationTheCardOfTheDevicesIsChosenIfThePodFits() {
        NodePod pod = TestPods.unannotated("p", 0, TestPods.memory("main", 2));

        assertThat(choose(EMPTY, pod, "GPU-a::5", "GPU-a::6"))
                .isEqualTo(new Outcome.Of<>(TestPods.share("main", A.id(), 2)));
        NodeSnapshot taken = EMPTY.withPod(TestPods.whole("w", 0, A.id()));
        assertThat(choose(taken, pod, "GPU-a::5", "GPU-a::6"))
                .isEqualTo(new Outcome.Of<>(TestPods.share("main", B.id(), 2)));
    }

    @Test
    void withoutAnAnnotationMemoryOfSeveralCardsBecomesMemoryOfOne() {
        NodePod pod = TestPods.unannotated("p", 0, TestPods.memory("main", 2));

        assertThat(choose(EMPTY, pod, "GPU-a::5", "GPU-b::6"))
                .isEqualTo(new Outcome.Of<>(TestPods.share("main", B.id(), 2)));
    }

    @Test
    void withoutAnAnnotationTheSecondContainerSharesTheCardOfTheFirst() {
        NodePod pod = TestPods.unannotated("p", 0, TestPods.memory("one", 3), TestPods.memory("two", 4));
        NodeSnapshot first = EMPTY.withPod(pod)
                .withAnsweredCall(new AnsweredCall(
                        pod.ref(), TestPods.share("one", A.id(), 3), Set.of("GPU-a::0"), TestPods.START));

        var second = pod.demand().valid().orElseThrow().containers().getLast();
        assertThat(new CardSelection(first, pod, second).among(List.of()))
                .isEqualTo(new Outcome.Of<>(TestPods.share("two", A.id(), 4)));
    }

    @Test
    void thirtyAndFortyAndThirtyPercentOfTheCoresAreGrantedAndThirtyOneAreNot() {
        NodeSnapshot node = MPS;
        for (int percent : new int[] {30, 40}) {
            NodePod other = cores("other" + percent, percent);
            node = node.withPod(other)
                    .withAnsweredCall(new AnsweredCall(
                            other.ref(), coresOf(B.id(), percent), Set.of("GPU-b::" + percent), TestPods.START));
        }
        for (NodePod refused : List.of(cores("p", 31), TestPods.annotated(cores("p", 31), onB(31)))) {
            assertRefused(
                    choose(node, refused, "GPU-b::c0"),
                    refused.allocation() instanceof Decoded.Absent
                            ? "Insufficient GPU cores in one device"
                            : "the cards allocated to the pod (GPU-b) are in use by other pods");
        }
        for (NodePod granted : List.of(cores("p", 30), TestPods.annotated(cores("p", 30), onB(30)))) {
            assertThat(choose(node, granted)).isEqualTo(new Outcome.Of<>(coresOf(B.id(), 30)));
        }
    }

    @Test
    void memoryAndCoresAreOfTheCardOfTheFirstCallWhateverDevicesTheKubeletTakes() {
        Card c = TestPods.mps(Card.of("GPU-c", 2, Memory.ofGib(24)));
        NodeSnapshot two = MPS.withInventory(
                new Inventory(MemoryUnit.GIB, null, List.of(TestPods.mps(B), c)).withBeside(Share.ALL_CORES));
        NodePod pod = cores("p", 2);
        assertThat(choose(two, pod, "GPU-c::c7", "GPU-c::c8")).isEqualTo(new Outcome.Of<>(coresOf(c.id(), 2)));
        assertThat(choose(two, pod, "GPU-c::c7", "GPU-b::c8")).isEqualTo(new Outcome.Of<>(coresOf(B.id(), 2)));

        NodeSnapshot first = two.withPod(pod)
                .withAnsweredCall(new AnsweredCall(
                        pod.ref(), coresOf(c.id(), 2), Set.of("GPU-c::c7", "GPU-c::c8"), TestPods.START));
        assertThat(choose(first, pod, "GPU-b::5")).isEqualTo(new Outcome.Of<>(coresOf(c.id(), 2)));
        assertRefused(
                choose(first, TestPods.annotated(pod, onB(2)), "GPU-b::5"),
                "was changed between the kubelet's calls for its memory and for its cores");
    }

    @Test
    void anAnnotationWithoutCoresAndACardThatDoesNotLimitThemAreRefused() {
        NodePod pod = TestPods.annotated(cores("p", 30), TestPods.allocation(TestPods.share("main", B.id(), 1)));
        assertRefused(choose(MPS, pod), "for cores: the extender needs the same --core-resource as the device plugin");
        NodeSnapshot driver =
                MPS.withInventory(MPS.inventory().withIsolation(Map.of(B.id(), CardIsolation.of(Isolation.DRIVER))));
        assertRefused(
                choose(driver, TestPods.annotated(cores("p", 30), onB(30))),
                "card GPU-b, allocated to the pod, does not limit cores (isolation driver is in force, and mps or"
                        + " hami-core is needed)");
        assertRefused(choose(driver, cores("p", 30)), "No GPU card of the node limits cores");
    }

    private static NodePod cores(String name, int percent) {
        return TestPods.unannotated(name, 0, TestPods.cores("main", 1, percent));
    }

    private static ContainerAllocation coresOf(CardId card, int percent) {
        return new ContainerAllocation(
                "main", ContainerRole.APP, Map.of(card, Share.memory(1).plus(Share.cores(percent))));
    }

    private static Allocation onB(int percent) {
        return TestPods.allocation(coresOf(B.id(), percent));
    }

    @Test
    void withoutAnAnnotationAndFreeCapacityTheReasonIsGpusharesOwn() {
        assertRefused(
                choose(EMPTY, TestPods.unannotated("p", 0, TestPods.memory("main", 60))),
                "Insufficient GPU Memory in one device");
    }

    @Test
    void withoutAnAnnotationWholeCardsAreThoseOfTheDevices() {
        NodePod pod = TestPods.unannotated("p", 0, TestPods.cards("main", 1));

        assertThat(choose(EMPTY, pod, "GPU-b"))
                .isEqualTo(new Outcome.Of<>(
                        new ContainerAllocation("main", ContainerRole.APP, Map.of(B.id(), Share.WHOLE_CARD))));
    }

    @Test
    void withoutAnAnnotationMemoryIsSplitOverSelectedCardsTheSameForAllContainers() {
        Card c = Card.of("GPU-c", 2, Memory.ofGib(24));
        NodeSnapshot three = EMPTY.withInventory(new Inventory(MemoryUnit.GIB, null, List.of(A, B, c)));
        NodePod pod = selecting(2, "memory < 40Gi", TestPods.memory("one", 4), TestPods.memory("two", 6));
        var one = new ContainerAllocation(
                "one", ContainerRole.APP, Map.of(B.id(), Share.memory(2), c.id(), Share.memory(2)));
        var two = new ContainerAllocation(
                "two", ContainerRole.APP, Map.of(B.id(), Share.memory(3), c.id(), Share.memory(3)));

        assertThat(choose(three, pod, "GPU-b::5", "GPU-b::6", "GPU-c::0", "GPU-c::1"))
                .as("devices that match the demand")
                .isEqualTo(new Outcome.Of<>(one));
        assertThat(choose(three, pod, "GPU-a::5", "GPU-a::6", "GPU-c::0", "GPU-c::1"))
                .as("devices of a card that the pod does not select")
                .isEqualTo(new Outcome.Of<>(one));
        assertThat(choose(three, pod, "GPU-b::5", "GPU-b::6", "GPU-b::7", "GPU-c::1"))
                .as("devices in uneven amounts")
                .isEqualTo(new Outcome.Of<>(one));
        NodeSnapshot first =
                three.withPod(pod).withAnsweredCall(new AnsweredCall(pod.ref(), one, Set.of(), TestPods.START));
        assertThat(new CardSelection(
                                first,
                                pod,
                                pod.demand().valid().orElseThrow().containers().getLast())
                        .among(List.of()))
                .isEqualTo(new Outcome.Of<>(two));
    }

    @Test
    void withoutAnAnnotationWholeCardsAreSelectedOnes() {
        NodePod pod = selecting(1, "memory < 40Gi", TestPods.cards("main", 1));

        assertThat(choose(EMPTY, pod, "GPU-a"))
                .isEqualTo(new Outcome.Of<>(
                        new ContainerAllocation("main", ContainerRole.APP, Map.of(B.id(), Share.WHOLE_CARD))));
    }

    @Test
    void withoutAnAnnotationAndASelectedCardThatIsTheReason() {
        assertRefused(
                choose(EMPTY, selecting(1, "model = H100", TestPods.memory("main", 1)), "GPU-a::0"),
                "No GPU card matches the pod's card selection");
    }

    private static NodePod selecting(int split, String selector, ContainerDemand... containers) {
        NodePod pod = TestPods.unannotated("p", 0, containers);
        Demand demand = new Demand(List.of(containers), split, SelectorCodec.parse(selector));
        return TestPods.pod(pod.ref(), pod.created(), false, new Decoded.Valid<>(demand), pod.allocation());
    }

    private static Outcome<ContainerAllocation> choose(NodeSnapshot snapshot, NodePod pod, String... ids) {
        List<DeviceId> devices = DeviceIdParser.devices(List.of(ids));
        var container = pod.demand().valid().orElseThrow().containers().getFirst();
        return new CardSelection(snapshot, pod, container).among(devices);
    }

    private static void assertRefused(Outcome<ContainerAllocation> choice, String part) {
        assertThat(choice)
                .isInstanceOfSatisfying(
                        Outcome.Refused.class,
                        refused -> assertThat(refused.reason()).contains(part));
    }
}
