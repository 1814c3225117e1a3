package io.gpushare.plugin.devices;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.plugin.devices.DeviceLists.Offered;
import io.gpushare.plugin.node.AnsweredCall;
import io.gpushare.plugin.node.NodePod;
import io.gpushare.plugin.node.NodeSnapshot;
import io.gpushare.plugin.node.PodResourcesList;
import io.gpushare.plugin.node.TestPods;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DeviceListsTest {
    private static final Card A = Card.of("GPU-a", 0, Memory.ofMib(3500));
    private static final Card B = Card.of("GPU-b", 1, Memory.ofGib(2));
    private static final NodeSnapshot EMPTY = NodeSnapshot.of(new Inventory(MemoryUnit.GIB, null, List.of(A, B)));

    @Test
    void eachCardHasTheUnitsOfItsOwnMemoryAndIsOfferedWholeBeside() {
        DeviceLists lists = DeviceLists.of(EMPTY.use());

        assertThat(lists.memory())
                .containsExactly(
                        well("GPU-a::0"), well("GPU-a::1"), well("GPU-a::2"), well("GPU-b::0"), well("GPU-b::1"));
        assertThat(lists.cards()).containsExactly(well("GPU-a"), well("GPU-b"));
    }

    @Test
    void aCardThatServesMemoryIsNotOfferedWholeEvenBeforeItsPodRuns() {
        NodeSnapshot waiting = EMPTY.withPod(TestPods.onCard("p", 0, A.id(), 1));

        DeviceLists lists = DeviceLists.of(waiting.use());

        assertThat(lists.cards()).containsExactly(ill("GPU-a"), well("GPU-b"));
        assertThat(lists.memory()).allMatch(Offered::healthy);
    }

    @Test
    void aCardTakenWholeOffersNoMemoryAndItsOwnDeviceStays() {
        NodeSnapshot taken = EMPTY.withPod(TestPods.whole("p", 0, A.id()))
                .withListed(TestPods.holding("p", "main", "GPU-a"), TestPods.START);

        DeviceLists lists = DeviceLists.of(taken.use());

        assertThat(lists.cards()).allMatch(Offered::healthy);
        assertThat(healthy(lists.memory())).containsExactly("GPU-b::0", "GPU-b::1");
    }

    @Test
    void whenThePodEndsOrIsGoneAllIsOfferedAgain() {
        NodePod pod = TestPods.onCard("p", 0, A.id(), 3);
        NodeSnapshot running = EMPTY.withPod(pod)
                .withListed(TestPods.holding("p", "main", "GPU-a::0", "GPU-a::1", "GPU-a::2"), TestPods.START);
        assertThat(DeviceLists.of(running.use()).cards()).contains(ill("GPU-a"));

        NodeSnapshot ended = running.withPod(TestPods.ended(pod));
        NodeSnapshot gone = running.withoutPod(pod.ref().uid()).withListed(PodResourcesList.NOTHING, TestPods.START);

        assertThat(DeviceLists.of(ended.use())).isEqualTo(DeviceLists.of(EMPTY.use()));
        assertThat(DeviceLists.of(gone.use())).isEqualTo(DeviceLists.of(EMPTY.use()));
    }

    @Test
    void aPodThatTheApiHasNoMoreHoldsNothingThoughTheKubeletStillListsIt() {
        PodResourcesList stillListed = TestPods.holding("p", "main", "GPU-a::0");
        NodeSnapshot gone = EMPTY.withPod(TestPods.onCard("p", 0, A.id(), 1))
                .withListed(stillListed, TestPods.START)
                .withoutPod("uid-p");

        assertThat(DeviceLists.of(gone.use())).isEqualTo(DeviceLists.of(EMPTY.use()));
        assertThat(DeviceLists.of(gone.withListed(stillListed, TestPods.START).use()))
                .as("after another list that still has it")
                .isEqualTo(DeviceLists.of(EMPTY.use()));
        assertThat(gone.behind())
                .as("worth a look: its name may be another pod's by now")
                .isTrue();
    }

    @Test
    void aPodThatTheApiHasNotToldOfYetHoldsWhatTheKubeletListsAlsoUnderTheNameOfOneThatIsGone() {
        NodeSnapshot early = EMPTY.withListed(TestPods.holding("p", "main", "GPU-a::0"), TestPods.START);
        assertThat(DeviceLists.of(early.use()).cards()).containsExactly(ill("GPU-a"), well("GPU-b"));

        NodeSnapshot again = EMPTY.withPod(TestPods.onCard("p", 0, A.id(), 1))
                .withoutPod("uid-p")
                .withListed(PodResourcesList.NOTHING, TestPods.START)
                .withListed(TestPods.holding("p", "main", "GPU-b::0"), TestPods.START);
        assertThat(DeviceLists.of(again.use()).cards()).containsExactly(well("GPU-a"), ill("GPU-b"));
    }

    @Test
    void anIllCardIsUnhealthyInBothListsItsAllocatedDevicesToo() {
        Inventory ill = new Inventory(MemoryUnit.GIB, null, List.of(A.withHealth(new Health.Unhealthy("Xid 79")), B));
        NodeSnapshot picture = EMPTY.withPod(TestPods.onCard("p", 0, A.id(), 1))
                .withListed(TestPods.holding("p", "main", "GPU-a::0"), TestPods.START)
                .withInventory(ill);

        DeviceLists lists = DeviceLists.of(picture.use());

        assertThat(healthy(lists.memory())).containsExactly("GPU-b::0", "GPU-b::1");
        assertThat(healthy(lists.cards())).containsExactly("GPU-b");
    }

    @Test
    void whereTheKubeletGaveOutDevicesOfAnotherCardTheCountIsRightAndNoneIsTakenBack() {
        // The container has card A whole; the kubelet has booked B for it, and then memory comes onto B.
        NodeSnapshot mixed = EMPTY.withPod(TestPods.whole("w", 0, A.id()))
                .withAnswer(new AnsweredCall(
                        TestPods.ref("w"),
                        TestPods.whole("w", 0, A.id())
                                .allocation()
                                .valid()
                                .orElseThrow()
                                .containers()
                                .getFirst(),
                        Set.of("GPU-b"),
                        TestPods.START))
                .withPod(TestPods.onCard("m", 1, B.id(), 1));

        DeviceLists lists = DeviceLists.of(mixed.use());

        // One card is held whole, and the other serves memory: no further card can be had.
        assertThat(lists.cards()).containsExactly(ill("GPU-a"), well("GPU-b"));
        assertThat(healthy(lists.memory())).containsExactly("GPU-b::0", "GPU-b::1");
    }

    private static List<String> healthy(List<Offered> devices) {
        return devices.stream().filter(Offered::healthy).map(Offered::id).toList();
    }

    private static Offered well(String id) {
        return new Offered(id, true);
    }

    private static Offered ill(String id) {
        return new Offered(id, false);
    }
}
