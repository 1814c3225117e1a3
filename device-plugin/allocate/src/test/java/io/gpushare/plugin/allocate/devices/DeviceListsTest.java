package io.gpushare.plugin.allocate.devices;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.request.ResourceNames;
import io.gpushare.plugin.allocate.devices.DeviceLists.Offered;
import io.gpushare.plugin.allocate.snapshot.AnsweredCall;
import io.gpushare.plugin.allocate.snapshot.NodeSnapshot;
import io.gpushare.plugin.allocate.snapshot.PodResourcesList;
import io.gpushare.plugin.allocate.snapshot.TestLists;
import io.gpushare.plugin.node.pod.NodePod;
import io.gpushare.plugin.node.pod.PodName;
import io.gpushare.plugin.node.pod.TestPods;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DeviceListsTest {
    private static final Card A = Card.of("GPU-a", 0, Memory.ofMib(3500));
    private static final Card B = Card.of("GPU-b", 1, Memory.ofGib(2));
    private static final NodeSnapshot EMPTY = NodeSnapshot.of(new Inventory(MemoryUnit.GIB, null, List.of(A, B)));

    @Test
    void eachCardHasTheUnitsOfItsOwnMemoryAndIsAlsoOfferedWhole() {
        DeviceLists lists = DeviceLists.of(EMPTY.allocations());

        assertThat(lists.list(DeviceResource.MEMORY))
                .containsExactly(
                        healthy("GPU-a::0"),
                        healthy("GPU-a::1"),
                        healthy("GPU-a::2"),
                        healthy("GPU-b::0"),
                        healthy("GPU-b::1"));
        assertThat(lists.list(DeviceResource.CARDS)).containsExactly(healthy("GPU-a"), healthy("GPU-b"));
    }

    @Test
    void instancesAreOfferedWholeByProfileAndLinkedWithTheirMemory() {
        Card large = TestPods.instance("MIG-3", 2, "3g.40gb", 39);
        NodeSnapshot cut = NodeSnapshot.of(
                new Inventory(MemoryUnit.GIB, null, List.of(A, large, TestPods.instance("MIG-1", 3, "1g.10gb+me", 9))));
        DeviceLists lists = DeviceLists.of(cut.allocations());
        DeviceResource ofLarge = DeviceResource.instances("3g.40gb");
        assertThat(lists.instances()).containsExactlyInAnyOrder(ofLarge, DeviceResource.instances("1g.10gb+me"));
        assertThat(lists.list(DeviceResource.CARDS)).containsExactly(healthy("GPU-a"));
        assertThat(lists.list(ofLarge)).containsExactly(healthy("MIG-3"));
        assertThat(healthy(lists.list(DeviceResource.MEMORY))).hasSize(3 + 39 + 9);
        assertThat(DeviceResource.instances("1g.10gb+me").name(ResourceNames.DEFAULT))
                .isEqualTo("nvidia.com/mig-1g.10gb.me");

        DeviceLists taken =
                DeviceLists.of(cut.withPod(TestPods.whole("w", 0, large.id())).allocations());
        assertThat(healthy(taken.list(DeviceResource.MEMORY))).hasSize(3 + 9);
        DeviceLists shared = DeviceLists.of(
                cut.withPod(TestPods.onCard("p", 0, large.id(), 1)).allocations());
        assertThat(healthy(shared.list(ofLarge))).isEmpty();

        assertThat(DeviceLists.of(EMPTY.allocations()).instances()).isEmpty();
        assertThat(DeviceLists.of(EMPTY.allocations()).list(ofLarge)).isEmpty();
    }

    @Test
    void eachCardHasAHundredPercentOfItsCoresWhereTheyAreOfferedAndLimited() {
        assertThat(DeviceLists.of(EMPTY.allocations()).list(DeviceResource.CORES))
                .isEmpty();
        Inventory inventory = new Inventory(MemoryUnit.GIB, null, List.of(TestPods.mps(A), TestPods.mps(B)))
                .withBeside(Share.ALL_CORES);
        NodeSnapshot mps = EMPTY.withInventory(inventory);
        assertThat(healthy(DeviceLists.of(mps.allocations()).list(DeviceResource.CORES)))
                .hasSize(200)
                .contains("GPU-a::c0", "GPU-b::c99");

        NodeSnapshot whole = mps.withPod(TestPods.whole("w", 0, A.id()));
        assertThat(healthy(DeviceLists.of(whole.allocations()).list(DeviceResource.CORES)))
                .hasSize(100)
                .allMatch(id -> id.startsWith("GPU-b::c"));
        // The cards lose MPS while a container has some cores: its own stay, and no others are offered.
        NodePod pod = TestPods.unannotated("p", 0, TestPods.cores("main", 1, 2));
        NodeSnapshot lost = mps.withPod(pod)
                .withListed(TestLists.withDevices("p", "main", "GPU-a::0", "GPU-a::c3", "GPU-a::c4"), TestPods.START)
                .withInventory(new Inventory(MemoryUnit.GIB, null, List.of(A, B)).withBeside(Share.ALL_CORES));
        DeviceLists lists = DeviceLists.of(lost.allocations());
        assertThat(lists.list(DeviceResource.CORES)).hasSize(200);
        assertThat(healthy(lists.list(DeviceResource.CORES))).containsExactly("GPU-a::c3", "GPU-a::c4");
        assertThat(healthy(lists.list(DeviceResource.MEMORY))).hasSize(5);
    }

    @Test
    void aCardThatServesMemoryIsNotOfferedWholeEvenBeforeItsPodRuns() {
        NodeSnapshot waiting = EMPTY.withPod(TestPods.onCard("p", 0, A.id(), 1));

        DeviceLists lists = DeviceLists.of(waiting.allocations());

        assertThat(lists.list(DeviceResource.CARDS)).containsExactly(unhealthy("GPU-a"), healthy("GPU-b"));
        assertThat(lists.list(DeviceResource.MEMORY)).allMatch(Offered::healthy);
    }

    @Test
    void aCardTakenWholeOffersNoMemoryAndItsOwnDeviceStays() {
        NodeSnapshot taken = EMPTY.withPod(TestPods.whole("p", 0, A.id()))
                .withListed(TestLists.withDevices("p", "main", "GPU-a"), TestPods.START);

        DeviceLists lists = DeviceLists.of(taken.allocations());

        assertThat(lists.list(DeviceResource.CARDS)).allMatch(Offered::healthy);
        assertThat(healthy(lists.list(DeviceResource.MEMORY))).containsExactly("GPU-b::0", "GPU-b::1");
    }

    @Test
    void whenThePodEndsOrIsDeletedEverythingIsOfferedAgain() {
        NodePod pod = TestPods.onCard("p", 0, A.id(), 3);
        NodeSnapshot running = EMPTY.withPod(pod)
                .withListed(TestLists.withDevices("p", "main", "GPU-a::0", "GPU-a::1", "GPU-a::2"), TestPods.START);
        assertThat(DeviceLists.of(running.allocations()).list(DeviceResource.CARDS))
                .contains(unhealthy("GPU-a"));

        NodeSnapshot ended = running.withPod(TestPods.ended(pod));
        NodeSnapshot deleted = running.withoutPod(pod.ref().uid()).withListed(PodResourcesList.EMPTY, TestPods.START);

        assertThat(DeviceLists.of(ended.allocations())).isEqualTo(DeviceLists.of(EMPTY.allocations()));
        assertThat(DeviceLists.of(deleted.allocations())).isEqualTo(DeviceLists.of(EMPTY.allocations()));
    }

    @Test
    void aPodThatTheApiDeletedHasNothingEvenIfTheKubeletStillListsIt() {
        PodResourcesList stillListed = TestLists.withDevices("p", "main", "GPU-a::0");
        NodeSnapshot deleted = EMPTY.withPod(TestPods.onCard("p", 0, A.id(), 1))
                .withListed(stillListed, TestPods.START)
                .withoutPod("uid-p");

        assertThat(DeviceLists.of(deleted.allocations())).isEqualTo(DeviceLists.of(EMPTY.allocations()));
        assertThat(DeviceLists.of(
                        deleted.withListed(stillListed, TestPods.START).allocations()))
                .as("after another list that still has it")
                .isEqualTo(DeviceLists.of(EMPTY.allocations()));
        assertThat(deleted.behind())
                .as("needs a fresh list: the name may belong to another pod by now")
                .isTrue();
    }

    @Test
    void aPodThatTheApiHasNotReportedHasWhatTheKubeletListsEvenUnderTheNameOfADeletedPod() {
        NodeSnapshot early = EMPTY.withListed(TestLists.withDevices("p", "main", "GPU-a::0"), TestPods.START);
        assertThat(DeviceLists.of(early.allocations()).list(DeviceResource.CARDS))
                .containsExactly(unhealthy("GPU-a"), healthy("GPU-b"));

        NodeSnapshot again = EMPTY.withPod(TestPods.onCard("p", 0, A.id(), 1))
                .withoutPod("uid-p")
                .withListed(PodResourcesList.EMPTY, TestPods.START)
                .withListed(TestLists.withDevices("p", "main", "GPU-b::0"), TestPods.START);
        assertThat(DeviceLists.of(again.allocations()).list(DeviceResource.CARDS))
                .containsExactly(healthy("GPU-a"), unhealthy("GPU-b"));
    }

    @Test
    void anUnhealthyCardIsUnhealthyInEveryListWithItsAllocatedDevices() {
        Inventory changed =
                new Inventory(MemoryUnit.GIB, null, List.of(A.withHealth(new Health.Unhealthy("Xid 79")), B));
        NodeSnapshot snapshot = EMPTY.withPod(TestPods.onCard("p", 0, A.id(), 1))
                .withListed(TestLists.withDevices("p", "main", "GPU-a::0"), TestPods.START)
                .withInventory(changed);

        DeviceLists lists = DeviceLists.of(snapshot.allocations());

        assertThat(healthy(lists.list(DeviceResource.MEMORY))).containsExactly("GPU-b::0", "GPU-b::1");
        assertThat(healthy(lists.list(DeviceResource.CARDS))).containsExactly("GPU-b");
    }

    @Test
    void whenTheKubeletAllocatedDevicesOfAnotherCardTheCountIsRightAndNoneIsWithdrawn() {
        // The container has card A whole, but the kubelet allocated B for it. Then a memory pod is bound to B.
        NodeSnapshot mixed = EMPTY.withPod(TestPods.whole("w", 0, A.id()))
                .withAnsweredCall(new AnsweredCall(
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

        DeviceLists lists = DeviceLists.of(mixed.allocations());

        // One card is taken whole and the other serves memory: no further card is free.
        assertThat(lists.list(DeviceResource.CARDS)).containsExactly(unhealthy("GPU-a"), healthy("GPU-b"));
        assertThat(healthy(lists.list(DeviceResource.MEMORY))).containsExactly("GPU-b::0", "GPU-b::1");
    }

    @Test
    void anAllocatedUnitOfTheHeadroomStaysUntilItsContainerHasEnded() {
        // Card A had three units for two pods; now one is kept for the driver.
        NodeSnapshot full = EMPTY.withPod(TestPods.onCard("two", 0, A.id(), 2))
                .withPod(TestPods.onCard("one", 0, A.id(), 1))
                .withListed(
                        new PodResourcesList(Map.of(
                                new PodName("default", "two"),
                                Map.of("main", Set.of("GPU-a::0", "GPU-a::1")),
                                new PodName("default", "one"),
                                Map.of("main", Set.of("GPU-a::2")))),
                        TestPods.START);
        NodeSnapshot now = full.withInventory(full.inventory()
                .withIsolation(Map.of(A.id(), CardIsolation.of(Isolation.MPS).withHeadroom(Memory.ofMib(500)))));

        assertThat(healthy(memory(now))).containsExactly("GPU-a::0", "GPU-a::1", "GPU-a::2", "GPU-b::0", "GPU-b::1");
        assertThat(now.allocations().reserved().cards().getFirst().free().units())
                .isZero();

        // One of the two units that are free again is withdrawn instead of the third, which is allocated.
        NodeSnapshot oneLeft = now.withoutPod(TestPods.ref("two").uid());
        assertThat(healthy(memory(oneLeft))).containsExactly("GPU-a::1", "GPU-a::2", "GPU-b::0", "GPU-b::1");
        assertThat(oneLeft.allocations().reserved().cards().getFirst().free().units())
                .isEqualTo(1);

        NodeSnapshot twoLeft = now.withoutPod(TestPods.ref("one").uid());
        assertThat(memory(twoLeft)).extracting(Offered::id).doesNotContain("GPU-a::2");
        assertThat(healthy(memory(twoLeft))).hasSize(4);
    }

    private static List<Offered> memory(NodeSnapshot snapshot) {
        return DeviceLists.of(snapshot.allocations()).list(DeviceResource.MEMORY);
    }

    @Test
    void onlyAllocatedDevicesStayWhenTheFreeOnesAreWithdrawn() {
        NodeSnapshot shared = EMPTY.withPod(TestPods.onCard("p", 0, A.id(), 1))
                .withListed(TestLists.withDevices("p", "main", "GPU-a::1"), TestPods.START);

        DeviceLists lists =
                DeviceLists.of(shared.allocations()).only(shared.allocations().allocatedIds());

        assertThat(lists.list(DeviceResource.MEMORY)).hasSize(5);
        assertThat(healthy(lists.list(DeviceResource.MEMORY))).containsExactly("GPU-a::1");
        assertThat(healthy(lists.list(DeviceResource.CARDS))).isEmpty();
    }

    private static List<String> healthy(List<Offered> devices) {
        return devices.stream().filter(Offered::healthy).map(Offered::id).toList();
    }

    @Test
    void theDevicesOfAPodOfGpusharesRemainInTheCountOfACordonedCard() {
        NodeSnapshot running = EMPTY.withPod(
                        TestPods.started(TestPods.gpushare("p", 2, Map.of("IDX", "0", "DEV", "3", "ASSIGNED", "true"))))
                .withListed(TestLists.withDevices("p", "main", "GPU-b-_-0", "GPU-b-_-1"), TestPods.START);

        assertThat(healthy(DeviceLists.of(running.allocations()).list(DeviceResource.CARDS)))
                .containsExactly("GPU-b");
        NodeSnapshot cordoned = running.withInventory(running.inventory().withCordoned(Set.of(A.id())));
        // The scheduler subtracts the pod's two units from four healthy devices: the two of B are left.
        assertThat(healthy(DeviceLists.of(cordoned.allocations()).list(DeviceResource.MEMORY)))
                .hasSize(4)
                .contains("GPU-b::0", "GPU-b::1");
    }

    private static Offered healthy(String id) {
        return new Offered(id, true);
    }

    private static Offered unhealthy(String id) {
        return new Offered(id, false);
    }
}
