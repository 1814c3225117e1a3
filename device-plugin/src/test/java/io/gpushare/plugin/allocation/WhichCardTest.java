package io.gpushare.plugin.allocation;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.Allocation;
import io.gpushare.model.Card;
import io.gpushare.model.CardId;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.Health;
import io.gpushare.model.Inventory;
import io.gpushare.model.Memory;
import io.gpushare.model.MemoryUnit;
import io.gpushare.model.codec.Decoded;
import io.gpushare.model.codec.DeviceId;
import io.gpushare.model.codec.SelectorCodec;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WhichCardTest {
    private static final Card A = Card.of("GPU-a", 0, Memory.ofGib(48));
    private static final Card B = Card.of("GPU-b", 1, Memory.ofGib(24));
    private static final NodePicture EMPTY = NodePicture.of(new Inventory(MemoryUnit.GIB, null, List.of(A, B)));

    @Test
    void theWrittenCardIsGivenWhateverCardTheDevicesAreOf() {
        NodePod pod = Pods.onCard("p", 0, B.id(), 2);

        assertThat(choose(EMPTY, pod, "GPU-a::0", "GPU-a::1"))
                .isEqualTo(new CardChoice.Chosen(Pods.gets("main", B.id(), 2)));
    }

    @Test
    void eachContainerOfAPodGetsItsPartOfTheSameCard() {
        NodePod pod = Pods.written(
                Pods.unwritten("p", 0, Pods.memory("one", 3), Pods.memory("two", 4)),
                Pods.allocation(Pods.gets("one", A.id(), 3), Pods.gets("two", A.id(), 4)));

        var second = pod.demand().valid().orElseThrow().containers().getLast();
        assertThat(new WhichCard(EMPTY, pod, second).among(List.of()))
                .isEqualTo(new CardChoice.Chosen(Pods.gets("two", A.id(), 4)));
    }

    @Test
    void whatIsWrittenMustBeWhatWasAskedFor() {
        NodePod pod = Pods.written(
                Pods.unwritten("p", 0, Pods.memory("main", 2)), Pods.allocation(Pods.gets("main", A.id(), 1)));

        assertRefused(choose(EMPTY, pod), "gpushare.io/allocation does not say what container 'main' asks for");
    }

    @Test
    void unitsOfAnotherSizeAreRefused() {
        NodePod pod = Pods.written(
                Pods.unwritten("p", 0, Pods.memory("main", 2)),
                new Allocation(MemoryUnit.ofMib(256), List.of(Pods.gets("main", A.id(), 2))));

        assertRefused(choose(EMPTY, pod), "chosen in units of 256MiB, and this node counts in GiB");
    }

    @Test
    void aCardThatIsNotHereOrIllIsRefused() {
        assertRefused(choose(EMPTY, Pods.onCard("p", 0, new CardId("GPU-z"), 2)), "card GPU-z, chosen for it, is not");
        NodePicture ill = EMPTY.withInventory(
                new Inventory(MemoryUnit.GIB, null, List.of(A.withHealth(Health.ill("Xid 79")), B)));
        assertRefused(choose(ill, Pods.onCard("p", 0, A.id(), 2)), "is ill (Xid 79)");
    }

    @Test
    void aCardThatOthersHoldIsRefusedAndOneThatIsOnlyWrittenOnOthersIsNot() {
        NodePod pod = Pods.onCard("p", 9, B.id(), 20);
        NodePod other = Pods.onCard("other", 0, B.id(), 20);
        NodePicture waiting = EMPTY.withPod(other).withPod(pod);

        assertThat(choose(waiting, pod)).isInstanceOf(CardChoice.Chosen.class);
        NodePicture held =
                waiting.withAnswer(new Answered(other.ref(), Pods.gets("main", B.id(), 20), Set.of(), Pods.START));
        assertRefused(choose(held, pod), "(GPU-b) are in use by other pods");
    }

    @Test
    void aMalformedAnnotationIsTheReason() {
        NodePod pod = new NodePod(
                Pods.ref("p"),
                Pods.START,
                false,
                Pods.unwritten("p", 0, Pods.memory("main", 2)).demand(),
                new Decoded.Malformed<>("annotation gpushare.io/allocation: it is not JSON"));

        assertRefused(choose(EMPTY, pod), "pod default/p, container 'main': annotation gpushare.io/allocation: it is");
    }

    @Test
    void withNothingWrittenTheCardOfTheDevicesIsGivenIfItHasRoom() {
        NodePod pod = Pods.unwritten("p", 0, Pods.memory("main", 2));

        assertThat(choose(EMPTY, pod, "GPU-a::5", "GPU-a::6"))
                .isEqualTo(new CardChoice.Chosen(Pods.gets("main", A.id(), 2)));
        NodePicture taken = EMPTY.withPod(Pods.whole("w", 0, A.id()));
        assertThat(choose(taken, pod, "GPU-a::5", "GPU-a::6"))
                .isEqualTo(new CardChoice.Chosen(Pods.gets("main", B.id(), 2)));
    }

    @Test
    void withNothingWrittenMemoryOfSeveralCardsBecomesMemoryOfOne() {
        NodePod pod = Pods.unwritten("p", 0, Pods.memory("main", 2));

        assertThat(choose(EMPTY, pod, "GPU-a::5", "GPU-b::6"))
                .isEqualTo(new CardChoice.Chosen(Pods.gets("main", B.id(), 2)));
    }

    @Test
    void withNothingWrittenTheSecondContainerComesBesideTheFirst() {
        NodePod pod = Pods.unwritten("p", 0, Pods.memory("one", 3), Pods.memory("two", 4));
        NodePicture first = EMPTY.withPod(pod)
                .withAnswer(new Answered(pod.ref(), Pods.gets("one", A.id(), 3), Set.of("GPU-a::0"), Pods.START));

        var second = pod.demand().valid().orElseThrow().containers().getLast();
        assertThat(new WhichCard(first, pod, second).among(List.of()))
                .isEqualTo(new CardChoice.Chosen(Pods.gets("two", A.id(), 4)));
    }

    @Test
    void withNothingWrittenAndNoRoomTheReasonIsGpusharesOwn() {
        assertRefused(
                choose(EMPTY, Pods.unwritten("p", 0, Pods.memory("main", 60))),
                "Insufficient GPU Memory in one device");
    }

    @Test
    void wholeCardsWithNothingWrittenAreThoseOfTheDevices() {
        NodePod pod = Pods.unwritten("p", 0, Pods.cards("main", 1));

        assertThat(choose(EMPTY, pod, "GPU-b"))
                .isEqualTo(new CardChoice.Chosen(
                        new ContainerAllocation("main", ContainerRole.APP, Map.of(), List.of(B.id()))));
    }

    @Test
    void withNothingWrittenMemoryIsSplitOverCardsOfTheKindTheSameForAllContainers() {
        Card c = Card.of("GPU-c", 2, Memory.ofGib(24));
        NodePicture three = EMPTY.withInventory(new Inventory(MemoryUnit.GIB, null, List.of(A, B, c)));
        NodePod pod = wishing(2, "memory < 40Gi", Pods.memory("one", 4), Pods.memory("two", 6));
        var one = new ContainerAllocation("one", ContainerRole.APP, Map.of(B.id(), 2, c.id(), 2), List.of());
        var two = new ContainerAllocation("two", ContainerRole.APP, Map.of(B.id(), 3, c.id(), 3), List.of());

        assertThat(choose(three, pod, "GPU-b::5", "GPU-b::6", "GPU-c::0", "GPU-c::1"))
                .as("devices as it wants them")
                .isEqualTo(new CardChoice.Chosen(one));
        assertThat(choose(three, pod, "GPU-a::5", "GPU-a::6", "GPU-c::0", "GPU-c::1"))
                .as("devices of a card of another kind")
                .isEqualTo(new CardChoice.Chosen(one));
        assertThat(choose(three, pod, "GPU-b::5", "GPU-b::6", "GPU-b::7", "GPU-c::1"))
                .as("devices in uneven parts")
                .isEqualTo(new CardChoice.Chosen(one));
        NodePicture first = three.withPod(pod).withAnswer(new Answered(pod.ref(), one, Set.of(), Pods.START));
        assertThat(new WhichCard(
                                first,
                                pod,
                                pod.demand().valid().orElseThrow().containers().getLast())
                        .among(List.of()))
                .isEqualTo(new CardChoice.Chosen(two));
    }

    @Test
    void withNothingWrittenWholeCardsAreOfTheKind() {
        NodePod pod = wishing(1, "memory < 40Gi", Pods.cards("main", 1));

        assertThat(choose(EMPTY, pod, "GPU-a"))
                .isEqualTo(new CardChoice.Chosen(
                        new ContainerAllocation("main", ContainerRole.APP, Map.of(), List.of(B.id()))));
    }

    @Test
    void withNothingWrittenAndNoCardOfTheKindThatIsTheReason() {
        assertRefused(
                choose(EMPTY, wishing(1, "model = H100", Pods.memory("main", 1)), "GPU-a::0"),
                "No GPU card of the kind that the pod selects");
    }

    private static NodePod wishing(int split, String selector, ContainerDemand... containers) {
        NodePod pod = Pods.unwritten("p", 0, containers);
        Demand demand = new Demand(List.of(containers), split, SelectorCodec.parse(selector));
        return new NodePod(pod.ref(), pod.created(), false, new Decoded.Valid<>(demand), pod.allocation());
    }

    private static CardChoice choose(NodePicture picture, NodePod pod, String... ids) {
        List<DeviceId> devices = CardsOfIds.devices(List.of(ids));
        var container = pod.demand().valid().orElseThrow().containers().getFirst();
        return new WhichCard(picture, pod, container).among(devices);
    }

    private static void assertRefused(CardChoice choice, String part) {
        assertThat(choice)
                .isInstanceOfSatisfying(
                        CardChoice.Refused.class,
                        refused -> assertThat(refused.reason()).contains(part));
    }
}
