package io.gpushare.plugin.allocate.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.api.deviceplugin.v1beta1.CDIDevice;
import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpushare.api.deviceplugin.v1beta1.DeviceSpec;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.plugin.allocate.allocation.AllocateResponse;
import io.gpushare.plugin.allocate.devices.DeviceLists;
import io.gpushare.plugin.allocate.devices.DeviceResource;
import io.gpushare.plugin.allocate.devices.WireSize;
import io.gpushare.plugin.allocate.snapshot.NodeSnapshot;
import io.gpushare.plugin.allocate.state.LatestSnapshot;
import io.gpushare.plugin.node.container.ContainerEdits;
import io.gpushare.plugin.node.container.ContainerSettings;
import io.gpushare.plugin.node.container.DeviceListStrategy;
import io.gpushare.plugin.node.container.Outcome;
import io.gpushare.plugin.node.isolation.ContainerIsolation;
import io.gpushare.plugin.node.pod.NodePod;
import io.gpushare.plugin.node.pod.TestPods;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

/**
 * The faults D1 to D15 of AliyunContainerService's device plugin that are possible here; DESIGN.md lists the others.
 */
class GpushareFaultsTest {
    private static final CardId A = new CardId("GPU-a");
    private static final CardId B = new CardId("GPU-b");
    private static final Inventory TWO = new Inventory(
            MemoryUnit.GIB,
            null,
            List.of(Card.of("GPU-a", 0, Memory.ofGib(15)), Card.of("GPU-b", 1, Memory.ofGib(15))));

    private final KubeletModel kubelet = new KubeletModel(1, true);
    private final List<NodePod> api = new ArrayList<>();
    private final AtomicInteger liveLists = new AtomicInteger();
    private LatestSnapshot latest = new LatestSnapshot(NodeSnapshot.of(TWO), () -> {});
    private AllocationHandler plugin = admission();

    private AllocationHandler admission() {
        return new AllocationHandler(
                latest,
                _ -> Optional.of(kubelet.listed()),
                _ -> {
                    liveLists.incrementAndGet();
                    return Optional.of(List.copyOf(api));
                },
                (_, _) -> Optional.empty(),
                new ContainerSettings(Set.of(DeviceListStrategy.ENVVAR)),
                TestIsolation.none(),
                InstantSource.system());
    }

    @Test
    void d1TwoPodsOfEqualDemandGetTheirOwnCardsInWhateverOrderTheyStart() throws Exception {
        NodePod older = bound(TestPods.onCard("a", 0, A, 3));
        NodePod younger = bound(TestPods.onCard("b", 1, B, 3));
        assertThat(admitted(younger)).containsExactly(B);
        assertThat(admitted(older)).containsExactly(A);
    }

    @Test
    void d2APodOfSeveralContainersStartsAndNoneOfThemIsTakenForAnotherPod() throws Exception {
        NodePod other = bound(TestPods.onCard("other", 0, A, 3));
        NodePod two = bound(TestPods.annotated(
                TestPods.unannotated("two", 1, TestPods.memory("x", 3), TestPods.memory("y", 4)),
                TestPods.allocation(TestPods.share("x", B, 3), TestPods.share("y", B, 4))));
        assertThat(admitted(two)).containsExactly(B, B);
        assertThat(admitted(other)).containsExactly(A);
    }

    @Test
    void d3AUnitWhoseListIsTooLargeForTheKubeletIsKnownBeforeItIsSent() {
        List<Card> h100 = List.of(
                Card.of("GPU-60805828-8ab0-6124-67c4-9baff56d087a", 0, Memory.ofMib(81559)),
                Card.of("GPU-60805828-8ab0-6124-67c4-9baff56d087b", 1, Memory.ofMib(81559)));
        MemoryUnit smallest =
                WireSize.smallestInsteadOf(MemoryUnit.ofMib(1), h100).orElseThrow();
        assertThat(WireSize.ofMemoryList(h100, smallest)).isLessThanOrEqualTo(WireSize.KUBELET_LIMIT);
    }

    @Test
    void d4UnitsAreCountedFromEachCardsOwnMemory() {
        Inventory mixed = new Inventory(
                MemoryUnit.GIB,
                null,
                List.of(Card.of("GPU-a", 0, Memory.ofGib(48)), Card.of("GPU-b", 1, Memory.ofGib(24))));
        DeviceLists lists = DeviceLists.of(NodeSnapshot.of(mixed).allocations());
        assertThat(lists.list(DeviceResource.MEMORY))
                .filteredOn(device -> device.id().startsWith("GPU-a::"))
                .hasSize(48);
        assertThat(lists.list(DeviceResource.MEMORY))
                .filteredOn(device -> device.id().startsWith("GPU-b::"))
                .hasSize(24);
    }

    @Test
    void d5AContainerReceivesItsCardByUuidAndItsDeviceFileByMinorNumber() {
        Card card = new Card(A, 0, 1, "T4", Memory.ofGib(15), Card.Details.UNKNOWN)
                .withHealth(TWO.cards().getFirst().health());
        ContainerAllocateResponse given = given(
                Set.of(DeviceListStrategy.ENVVAR, DeviceListStrategy.DEVICE_SPECS),
                TestPods.share("main", A, 3),
                new Inventory(MemoryUnit.GIB, null, List.of(card)));
        assertThat(given.getEnvsMap()).containsEntry("NVIDIA_VISIBLE_DEVICES", "GPU-a");
        assertThat(given.getDevicesList())
                .extracting(DeviceSpec::getHostPath)
                .contains("/dev/nvidia1")
                .doesNotContain("/dev/nvidia0");
    }

    @Test
    void d6CardsWithOtherNumbersAfterARebootAreStillTheSameCards() throws Exception {
        NodePod pod = bound(TestPods.onCard("p", 0, B, 3));
        latest.update(snapshot -> snapshot.withInventory(new Inventory(
                MemoryUnit.GIB,
                null,
                List.of(Card.of("GPU-b", 0, Memory.ofGib(15)), Card.of("GPU-a", 1, Memory.ofGib(15))))));
        assertThat(admitted(pod)).containsExactly(B);
    }

    @Test
    void d7TheApiServerIsNotListedForAnAllocate() throws Exception {
        for (int number = 0; number < 10; number++) {
            admitted(bound(TestPods.onCard("p" + number, number, A, 1)));
        }
        assertThat(liveLists).hasValue(0);
    }

    @Test
    void d8AnAllocateThatCannotBeRightIsAnErrorAndNotAnEnvironmentVariable() {
        assertThat(plugin.allocate(DeviceResource.MEMORY, List.of("GPU-a::0")))
                .isInstanceOfSatisfying(
                        Outcome.Refused.class,
                        refused -> assertThat(refused.reason()).contains("waits for 1 units"));
    }

    @Test
    void d9AKubeletThatLostItsAllocationsGetsTheSameCardsForRunningPodsAgain() throws Exception {
        NodePod first = bound(TestPods.onCard("a", 0, A, 3));
        NodePod second = bound(TestPods.onCard("b", 1, B, 3));
        admitted(first);
        admitted(second);
        kubelet.allocations().clear();
        assertThat(admitted(second)).containsExactly(B);
        assertThat(admitted(first)).containsExactly(A);
    }

    @Test
    void d9ARestartedPluginKnowsThemAsWell() throws Exception {
        NodePod pod = bound(TestPods.onCard("a", 0, B, 3));
        admitted(pod);
        kubelet.allocations().clear();
        latest = new LatestSnapshot(NodeSnapshot.of(TWO).withPod(pod), () -> {});
        plugin = admission();
        assertThat(admitted(pod)).containsExactly(B);
    }

    @Test
    void d10ThePodOfAnUnhealthyCardIsRefused() {
        NodePod pod = TestPods.onCard("p", 0, A, 3);
        bound(pod);
        latest.update(snapshot -> snapshot.withInventory(new Inventory(
                MemoryUnit.GIB,
                null,
                List.of(
                        TWO.cards().getFirst().withHealth(new io.gpushare.model.card.Health.Unhealthy("Xid 79")),
                        TWO.cards().getLast()))));
        kubelet.allocations().put(pod.ref(), Map.of());
        assertThat(plugin.allocate(DeviceResource.MEMORY, List.of("GPU-b::0", "GPU-b::1", "GPU-b::2")))
                .isInstanceOfSatisfying(
                        Outcome.Refused.class,
                        refused -> assertThat(refused.reason()).contains("GPU-a", "Xid 79"));
    }

    @Test
    void d12WithoutNvidiasRuntimeCardsAreCdiNamesAndTheVariableExposesNone() {
        ContainerAllocateResponse given = given(
                Set.of(DeviceListStrategy.CDI_CRI),
                new ContainerAllocation("main", ContainerRole.APP, Map.of(A, Share.WHOLE_CARD)),
                TWO);
        assertThat(given.getCdiDevicesList()).extracting(CDIDevice::getName).containsExactly("nvidia.com/gpu=GPU-a");
        assertThat(given.getEnvsMap()).containsEntry("NVIDIA_VISIBLE_DEVICES", "void");
    }

    private static ContainerAllocateResponse given(
            Set<DeviceListStrategy> strategies, ContainerAllocation cards, Inventory node) {
        NodePod pod = TestPods.unannotated("p", 0, TestPods.memory("main", 3));
        return new ContainerSettings(strategies).of(pod, cards, node, ContainerIsolation.Settings.NONE)
                        instanceof Outcome.Of<ContainerEdits>(var edits)
                ? AllocateResponse.of(edits)
                : Assertions.fail("refused");
    }

    private NodePod bound(NodePod pod) {
        api.add(pod);
        latest.update(snapshot -> snapshot.withPod(pod));
        return pod;
    }

    /** The cards that the pod's containers see, in start order. */
    private List<CardId> admitted(NodePod pod) throws KubeletModel.Rejected {
        kubelet.admit(pod, plugin, () -> DeviceLists.of(latest.now().allocations()));
        return Objects.requireNonNull(kubelet.allocations().get(pod.ref())).values().stream()
                .flatMap(given -> given.sees().visibleCards().stream())
                .toList();
    }
}
