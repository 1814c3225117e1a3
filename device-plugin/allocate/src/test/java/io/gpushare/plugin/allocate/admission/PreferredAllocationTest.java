package io.gpushare.plugin.allocate.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.plugin.allocate.devices.DeviceResource;
import io.gpushare.plugin.allocate.snapshot.NodeSnapshot;
import io.gpushare.plugin.allocate.snapshot.TestLists;
import io.gpushare.plugin.allocate.state.LatestSnapshot;
import io.gpushare.plugin.node.container.ContainerSettings;
import io.gpushare.plugin.node.container.DeviceListStrategy;
import io.gpushare.plugin.node.pod.NodePod;
import io.gpushare.plugin.node.pod.TestPods;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** An older kubelet may panic when it is listed while it waits for the preferred devices. */
class PreferredAllocationTest {
    private static final List<String> AVAILABLE = List.of("GPU-a::0", "GPU-a::1", "GPU-b::0", "GPU-b::1");

    private final NodePod one = TestPods.onCard("one", 0, new CardId("GPU-b"), 1);
    private final NodePod other = TestPods.onCard("other", 1, new CardId("GPU-a"), 1);
    private final AtomicInteger lists = new AtomicInteger();

    @Test
    void thePodThatWaitsAloneIsFoundWithoutListingTheKubelet() {
        assertThat(preferred("one", one)).containsExactly("GPU-b::0");
        assertThat(lists).hasValue(0);
    }

    @Test
    void ofSeveralPodsThatWaitTheListedOneIsFound() {
        assertThat(preferred("other", one, other)).containsExactly("GPU-a::0");
        assertThat(lists).hasValue(1);
    }

    private List<String> preferred(String listed, NodePod... pods) {
        LatestSnapshot latest = new LatestSnapshot(
                NodeSnapshot.of(new Inventory(
                        MemoryUnit.GIB,
                        null,
                        List.of(Card.of("GPU-a", 0, Memory.ofGib(15)), Card.of("GPU-b", 1, Memory.ofGib(15))))),
                () -> {});
        for (NodePod pod : pods) {
            latest.update(snapshot -> snapshot.withPod(pod));
        }
        AllocationHandler plugin = new AllocationHandler(
                latest,
                _ -> {
                    lists.incrementAndGet();
                    return Optional.of(TestLists.listed(listed));
                },
                _ -> Optional.of(List.of(pods)),
                (_, _) -> Optional.empty(),
                new ContainerSettings(Set.of(DeviceListStrategy.ENVVAR)),
                TestIsolation.none(),
                InstantSource.system());
        return plugin.preferred(DeviceResource.MEMORY, AVAILABLE, List.of(), 1);
    }
}
