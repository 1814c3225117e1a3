package io.gpushare.plugin.devices;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.card.CardId;
import io.gpushare.plugin.snapshot.TestPods;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PreferredDevicesTest {
    private static final CardId A = new CardId("GPU-a");
    private static final CardId B = new CardId("GPU-b");

    @Test
    void theFirstFreeUnitsOfTheCardArePreferred() {
        assertThat(PreferredDevices.of(
                        DeviceResource.MEMORY,
                        TestPods.share("main", B, 2),
                        List.of("GPU-a::0", "GPU-b::10", "GPU-b::9", "GPU-b::2"),
                        Set.of()))
                .containsExactly("GPU-b::2", "GPU-b::9");
    }

    @Test
    void whatMustBeIncludedIsCounted() {
        assertThat(PreferredDevices.of(
                        DeviceResource.MEMORY,
                        TestPods.share("main", B, 2),
                        List.of("GPU-b::1", "GPU-b::2", "GPU-b::3"),
                        Set.of("GPU-b::3")))
                .containsExactlyInAnyOrder("GPU-b::3", "GPU-b::1");
    }

    @Test
    void wholeCardsArePreferredByName() {
        var gets = new ContainerAllocation("main", ContainerRole.APP, TestPods.wholeCards(B, A));

        assertThat(PreferredDevices.of(DeviceResource.CARDS, gets, List.of("GPU-a", "GPU-b", "GPU-c"), Set.of()))
                .containsExactlyInAnyOrder("GPU-a", "GPU-b");
    }

    @Test
    void whenTheCardHasTooFewFreeDevicesNoneIsPreferred() {
        assertThat(PreferredDevices.of(
                        DeviceResource.MEMORY, TestPods.share("main", B, 2), List.of("GPU-b::1", "GPU-a::1"), Set.of()))
                .isEmpty();
        assertThat(PreferredDevices.of(
                        DeviceResource.MEMORY,
                        TestPods.share("main", B, 1),
                        List.of("GPU-b::1", "GPU-a::1"),
                        Set.of("GPU-a::1", "GPU-a::2")))
                .isEmpty();
    }
}
