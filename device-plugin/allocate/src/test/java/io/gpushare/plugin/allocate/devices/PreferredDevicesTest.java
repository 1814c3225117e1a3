package io.gpushare.plugin.allocate.devices;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.plugin.node.pod.TestPods;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Cards of 4 units each. */
class PreferredDevicesTest {
    private static final CardId A = new CardId("GPU-a");
    private static final CardId B = new CardId("GPU-b");
    private static final NodeCards UNUSED = NodeCards.of(new Inventory(
            MemoryUnit.GIB,
            null,
            Stream.of("GPU-a", "GPU-b", "GPU-c")
                    .map(uuid -> Card.of(uuid, uuid.charAt(4) - 'a', Memory.ofGib(4)))
                    .toList()));

    @Test
    void theFirstFreeUnitsOfTheCardArePreferred() {
        assertThat(ofMemory(2, List.of("GPU-a::0", "GPU-b::10", "GPU-b::9", "GPU-b::2"), Set.of()))
                .containsExactly("GPU-b::2", "GPU-b::9");
    }

    @Test
    void whatMustBeIncludedIsCounted() {
        assertThat(ofMemory(2, List.of("GPU-b::1", "GPU-b::2", "GPU-b::3"), Set.of("GPU-b::3")))
                .containsExactlyInAnyOrder("GPU-b::3", "GPU-b::1");
        assertThat(ofMemory(2, List.of("GPU-b::1", "GPU-b::2", "GPU-a::3"), Set.of("GPU-a::3")))
                .containsExactlyInAnyOrder("GPU-a::3", "GPU-b::1");
    }

    @Test
    void wholeCardsArePreferredByName() {
        var gets = new ContainerAllocation("main", ContainerRole.APP, TestPods.wholeCards(B, A));

        assertThat(PreferredDevices.of(
                        DeviceResource.CARDS, gets, UNUSED, List.of("GPU-a", "GPU-b", "GPU-c"), Set.of()))
                .containsExactlyInAnyOrder("GPU-a", "GPU-b");
    }

    /** Card A has 1 free unit, and a container with devices of another card: 3 of its devices are available. */
    @Test
    void missingDevicesAreThoseThatNoOtherContainerNeeds() {
        NodeCards cards = UNUSED.with(TestPods.ref("p"), TestPods.allocation(TestPods.share("main", A, 3)));
        List<String> available =
                List.of("GPU-a::1", "GPU-a::2", "GPU-a::3", "GPU-b::3", "GPU-c::0", "GPU-c::1", "GPU-c::2", "GPU-c::3");

        assertThat(PreferredDevices.of(DeviceResource.MEMORY, TestPods.share("main", B, 3), cards, available, Set.of()))
                .containsExactlyInAnyOrder("GPU-b::3", "GPU-a::1", "GPU-a::2");
    }

    @Test
    void whenTooFewDevicesAreAvailableNoneIsPreferred() {
        assertThat(ofMemory(2, List.of("GPU-b::1"), Set.of())).isEmpty();
        assertThat(ofMemory(1, List.of("GPU-b::1", "GPU-a::1"), Set.of("GPU-a::1", "GPU-a::2")))
                .isEmpty();
    }

    /** For a container with that much memory of card B. */
    private static List<String> ofMemory(int units, List<String> available, Set<String> mustInclude) {
        return PreferredDevices.of(
                DeviceResource.MEMORY, TestPods.share("main", B, units), UNUSED, available, mustInclude);
    }
}
