package io.gpushare.plugin.allocation;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.Card;
import io.gpushare.model.Health;
import io.gpushare.model.Inventory;
import io.gpushare.model.Memory;
import io.gpushare.model.MemoryUnit;
import io.gpushare.plugin.allocation.DeviceLists.Offered;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DeviceListsTest {
    private static final Card A = Card.of("GPU-a", 0, Memory.ofMib(3500));
    private static final Card B = Card.of("GPU-b", 1, Memory.ofGib(2));
    private static final NodePicture EMPTY = NodePicture.of(new Inventory(MemoryUnit.GIB, null, List.of(A, B)));

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
        NodePicture waiting = EMPTY.withPod(Pods.onCard("p", 0, A.id(), 1));

        DeviceLists lists = DeviceLists.of(waiting.use());

        assertThat(lists.cards()).containsExactly(ill("GPU-a"), well("GPU-b"));
        assertThat(lists.memory()).allMatch(Offered::healthy);
    }

    @Test
    void aCardTakenWholeOffersNoMemoryAndItsOwnDeviceStays() {
        NodePicture taken =
                EMPTY.withPod(Pods.whole("p", 0, A.id())).withListed(Pods.holding("p", "main", "GPU-a"), Pods.START);

        DeviceLists lists = DeviceLists.of(taken.use());

        assertThat(lists.cards()).allMatch(Offered::healthy);
        assertThat(healthy(lists.memory())).containsExactly("GPU-b::0", "GPU-b::1");
    }

    @Test
    void whenThePodEndsOrIsGoneAllIsOfferedAgain() {
        NodePod pod = Pods.onCard("p", 0, A.id(), 3);
        NodePicture running = EMPTY.withPod(pod)
                .withListed(Pods.holding("p", "main", "GPU-a::0", "GPU-a::1", "GPU-a::2"), Pods.START);
        assertThat(DeviceLists.of(running.use()).cards()).contains(ill("GPU-a"));

        NodePicture ended = running.withPod(Pods.ended(pod));
        NodePicture gone = running.withoutPod(pod.ref().uid()).withListed(Listed.NOTHING, Pods.START);

        assertThat(DeviceLists.of(ended.use())).isEqualTo(DeviceLists.of(EMPTY.use()));
        assertThat(DeviceLists.of(gone.use())).isEqualTo(DeviceLists.of(EMPTY.use()));
    }

    @Test
    void aPodThatTheApiHasNoMoreHoldsNothingThoughTheKubeletStillListsIt() {
        Listed stillListed = Pods.holding("p", "main", "GPU-a::0");
        NodePicture gone = EMPTY.withPod(Pods.onCard("p", 0, A.id(), 1))
                .withListed(stillListed, Pods.START)
                .withoutPod("uid-p");

        assertThat(DeviceLists.of(gone.use())).isEqualTo(DeviceLists.of(EMPTY.use()));
        assertThat(DeviceLists.of(gone.withListed(stillListed, Pods.START).use()))
                .as("after another list that still has it")
                .isEqualTo(DeviceLists.of(EMPTY.use()));
        assertThat(gone.behind())
                .as("worth a look: its name may be another pod's by now")
                .isTrue();
    }

    @Test
    void aPodThatTheApiHasNotToldOfYetHoldsWhatTheKubeletListsAlsoUnderTheNameOfOneThatIsGone() {
        NodePicture early = EMPTY.withListed(Pods.holding("p", "main", "GPU-a::0"), Pods.START);
        assertThat(DeviceLists.of(early.use()).cards()).containsExactly(ill("GPU-a"), well("GPU-b"));

        NodePicture again = EMPTY.withPod(Pods.onCard("p", 0, A.id(), 1))
                .withoutPod("uid-p")
                .withListed(Listed.NOTHING, Pods.START)
                .withListed(Pods.holding("p", "main", "GPU-b::0"), Pods.START);
        assertThat(DeviceLists.of(again.use()).cards()).containsExactly(well("GPU-a"), ill("GPU-b"));
    }

    @Test
    void anIllCardIsUnhealthyInBothListsItsAllocatedDevicesToo() {
        Inventory ill = new Inventory(MemoryUnit.GIB, null, List.of(A.withHealth(Health.ill("Xid 79")), B));
        NodePicture picture = EMPTY.withPod(Pods.onCard("p", 0, A.id(), 1))
                .withListed(Pods.holding("p", "main", "GPU-a::0"), Pods.START)
                .withInventory(ill);

        DeviceLists lists = DeviceLists.of(picture.use());

        assertThat(healthy(lists.memory())).containsExactly("GPU-b::0", "GPU-b::1");
        assertThat(healthy(lists.cards())).containsExactly("GPU-b");
    }

    @Test
    void whereTheKubeletGaveOutDevicesOfAnotherCardTheCountIsRightAndNoneIsTakenBack() {
        // The container has card A whole; the kubelet has booked B for it, and then memory comes onto B.
        NodePicture mixed = EMPTY.withPod(Pods.whole("w", 0, A.id()))
                .withAnswer(new Answered(
                        Pods.ref("w"),
                        Pods.whole("w", 0, A.id())
                                .allocation()
                                .valid()
                                .orElseThrow()
                                .containers()
                                .getFirst(),
                        Set.of("GPU-b"),
                        Pods.START))
                .withPod(Pods.onCard("m", 1, B.id(), 1));

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
