package io.gpushare.plugin.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.ledger.CardState;
import io.gpushare.plugin.devices.DeviceLists;
import io.gpushare.plugin.devices.DeviceResource;
import io.gpushare.plugin.snapshot.KubeletCheckpoint.NamedCard;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Running pods that HAMi's plugin gave their cards: the kubelet's record says which, and their requests how much. */
class HamiPodsTest {
    private static final CardId B = new CardId("GPU-b");
    private static final NodeSnapshot NODE = NodeSnapshot.of(new Inventory(
                    MemoryUnit.GIB,
                    null,
                    List.of(Card.of("GPU-a", 0, Memory.ofGib(15)), Card.of("GPU-b", 1, Memory.ofGib(15))))
            .withBeside(Share.ALL_CORES.plus(Share.slots(10))));
    private static final NodePod POD =
            TestPods.unannotated("p", 0, new ContainerDemand("main", ContainerRole.APP, new Share(0, 0, 30, 1, 50)));

    // HAMi's "GPU-a::3" as the edges read it; its scheduler and its plugin agree on another card.
    private static final String SLOT = DeviceIdParser.slot("GPU-a::3");

    @Test
    void thePodHoldsWhatItRequestsOfTheRecordedCard() {
        NodeSnapshot adopted = listed().withCheckpoint(KubeletCheckpoint.of(List.of(new KubeletCheckpoint.Entry(
                POD.ref().uid(), "main", "nvidia.com/gpu", Set.of(SLOT), List.of(new NamedCard.ByUuid(B))))));
        assertThat(adopted.allocations().reserved().cards())
                .extracting(CardState::allocated)
                .containsExactly(Share.NONE, new Share(7, 0, 30, 1, 0));
        // Scheduler and kubelet count only the slot, so the memory is withdrawn; and the extender is told.
        assertThat(healthy(adopted, DeviceResource.MEMORY)).isEqualTo(15 + 8);
        assertThat(healthy(adopted, DeviceResource.CARDS)).isEqualTo(1);
        assertThat(AnnotationDifference.of(adopted))
                .extracting(AnnotationDifference::kind)
                .containsExactly(AnnotationDifference.Kind.MISSING);
    }

    @Test
    void withoutARecordItHoldsTheWholeCardOfItsDevice() {
        assertThat(listed().allocations().reserved().cards())
                .extracting(CardState::allocated)
                .containsExactly(new Share(0, 1, 0, 1, 0), Share.NONE);
        assertThat(healthy(listed(), DeviceResource.MEMORY)).isEqualTo(15);
    }

    private static NodeSnapshot listed() {
        return NODE.withPod(POD).withListed(TestPods.withDevices("p", "main", SLOT), Instant.EPOCH);
    }

    private static long healthy(NodeSnapshot snapshot, DeviceResource resource) {
        return DeviceLists.of(snapshot.allocations()).list(resource).stream()
                .filter(DeviceLists.Offered::healthy)
                .count();
    }
}
