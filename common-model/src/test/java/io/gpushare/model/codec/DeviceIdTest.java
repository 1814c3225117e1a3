package io.gpushare.model.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.card.CardId;
import io.gpushare.model.card.ShareKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeviceIdTest {
    private static final CardId CARD = new CardId("GPU-60805828-8ab0-6124-67c4-9baff56d087b");

    @Test
    void anIdNamesItsCard() {
        DeviceId unit = new DeviceId.MemoryUnitOf(CARD, 14);
        assertThat(unit).hasToString("GPU-60805828-8ab0-6124-67c4-9baff56d087b::14");
        assertThat(DeviceId.parse(unit.toString())).isEqualTo(new Decoded.Valid<>(unit));
        DeviceId whole = new DeviceId.WholeCard(CARD);
        assertThat(DeviceId.parse(whole.toString())).isEqualTo(new Decoded.Valid<>(whole));
        DeviceId cores = new DeviceId.PartOf(ShareKind.CORES, CARD, 99);
        assertThat(cores).hasToString("GPU-60805828-8ab0-6124-67c4-9baff56d087b::c99");
        assertThat(DeviceId.parse(cores.toString())).isEqualTo(new Decoded.Valid<>(cores));
    }

    /**
     * dcgm-exporter 4.8 (internal/pkg/transformation, podmapper) finds the card of a device of the resources in
     * NVIDIA_RESOURCE_NAMES by what is before the first "::", else by the whole ID; it takes "MIG-" and "/vgpu" for
     * other things.
     */
    @Test
    void dcgmExporterFindsTheCardOfEachId() {
        DeviceId unit = new DeviceId.MemoryUnitOf(CARD, 3);
        assertThat(unit.toString().split("::", -1)).containsExactly(CARD.uuid(), "3");
        assertThat(new DeviceId.WholeCard(CARD)).hasToString(CARD.uuid());
        assertThat(unit.toString()).startsWith("GPU-").doesNotContain("/vgpu", "MIG-");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "::",
                "::1",
                "GPU-1::",
                "GPU-1::x",
                "GPU-1::-1",
                "GPU-1::c",
                "GPU-1::c-1",
                "GPU-1-_-0",
                "GPU-1::1::2"
            })
    void anotherPluginsIdIsMalformed(String id) {
        assertThat(DeviceId.parse(id))
                .isInstanceOfSatisfying(
                        Decoded.Malformed.class,
                        malformed -> assertThat(malformed.reason()).contains("not a device of ours"));
    }
}
