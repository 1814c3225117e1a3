package io.gpushare.plugin.allocate.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.ledger.CardState;
import io.gpushare.plugin.allocate.devices.DeviceLists;
import io.gpushare.plugin.allocate.devices.DeviceResource;
import io.gpushare.plugin.allocate.snapshot.NodeSnapshot;
import io.gpushare.plugin.allocate.snapshot.TestLists;
import io.gpushare.plugin.allocate.state.LatestSnapshot;
import io.gpushare.plugin.node.container.ContainerSettings;
import io.gpushare.plugin.node.container.DeviceListStrategy;
import io.gpushare.plugin.node.container.Outcome;
import io.gpushare.plugin.node.pod.NodePod;
import io.gpushare.plugin.node.pod.TestPods;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Calls that no kubelet makes: unknown, repeated, mixed and absurd device IDs. */
class HostileKubeletTest {
    private static final int CALLS = Integer.getInteger("gpushare.events", 10_000);
    private static final String[] PARTS = {
        "GPU-a",
        "GPU-b",
        "GPU-c",
        "GPU-",
        "MIG-a",
        "::",
        ":",
        "0",
        "1",
        "2",
        "14",
        "15",
        "-1",
        "99999999999",
        " ",
        "\u0000",
        "../",
        "ä",
        "GPU-a::0"
    };

    private final Random random = new Random(20261121);
    private final LatestSnapshot latest = new LatestSnapshot(
            NodeSnapshot.of(new Inventory(
                    MemoryUnit.GIB,
                    null,
                    List.of(Card.of("GPU-a", 0, Memory.ofGib(15)), Card.of("GPU-b", 1, Memory.ofGib(15))))),
            () -> {});

    @Test
    void neitherUnknownNorRepeatedDevicesBreakAnythingOrTakeMoreThanACardHas() {
        NodePod written = TestPods.onCard("written", 0, new CardId("GPU-a"), 2);
        NodePod unwritten = TestPods.unannotated("unwritten", 1, TestPods.memory("main", 3));
        NodePod whole = TestPods.unannotated("whole", 2, TestPods.cards("main", 1));
        List<NodePod> pods = List.of(written, unwritten, whole);
        pods.forEach(pod -> latest.update(snapshot -> snapshot.withPod(pod)));
        AllocationHandler plugin = new AllocationHandler(
                latest,
                _ -> Optional.of(TestLists.listed("written", "unwritten", "whole")),
                _ -> Optional.of(pods),
                (_, _) -> Optional.empty(),
                new ContainerSettings(Set.of(DeviceListStrategy.ENVVAR)),
                TestIsolation.none(),
                InstantSource.system());
        int given = 0;
        int refused = 0;
        for (int call = 0; call < CALLS; call++) {
            DeviceResource resource = random.nextBoolean() ? DeviceResource.MEMORY : DeviceResource.CARDS;
            List<String> available = ids();
            int size = random.nextInt(5) - 1;
            List<String> preferred = plugin.preferred(resource, available, ids(), size);
            assertThat(preferred.isEmpty() || preferred.size() == size).isTrue();
            switch (plugin.allocate(resource, ids())) {
                case Outcome.Of<ContainerAllocateResponse> _ -> given++;
                case Outcome.Refused<ContainerAllocateResponse>(var _, String reason, var _) -> {
                    refused++;
                    assertThat(reason).isNotBlank();
                }
            }
            assertThat(latest.now().allocations().assigned().cards()).noneMatch(CardState::overCommitted);
            assertThat(DeviceLists.of(latest.now().allocations()).list(DeviceResource.MEMORY))
                    .hasSize(30);
        }
        System.out.println(
                "hostile devices: " + CALLS + " calls of each kind, " + given + " given, " + refused + " refused");
        assertThat(given).isPositive();
        assertThat(refused).isPositive();
    }

    private List<String> ids() {
        List<String> ids = new ArrayList<>();
        for (int count = random.nextInt(5); count > 0; count--) {
            StringBuilder id = new StringBuilder();
            for (int parts = 1 + random.nextInt(3); parts > 0; parts--) {
                id.append(PARTS[random.nextInt(PARTS.length)]);
            }
            ids.add(random.nextInt(3) == 0 ? "GPU-b::" + random.nextInt(3) : id.toString());
            if (random.nextInt(4) == 0) {
                ids.add(ids.getLast());
            }
        }
        return ids;
    }
}
