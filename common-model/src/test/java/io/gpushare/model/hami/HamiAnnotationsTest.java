package io.gpushare.model.hami;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.codec.AllocationCodec;
import io.gpushare.model.hami.HamiAnnotations.Device;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HamiAnnotationsTest {
    private static final CardId A = new CardId("GPU-a");
    private static final CardId B = new CardId("GPU-b");
    private static final Instant NOW = Instant.ofEpochSecond(1727251686L, 7);
    private static final Inventory NODE = new Inventory(
                    MemoryUnit.ofMib(256),
                    null,
                    List.of(
                            Card.of("GPU-a", 0, Memory.ofMib(15109)),
                            Card.of("GPU-b", 1, Memory.ofMib(15109)).withHealth(new Health.Unhealthy("Xid 79"))))
            .withBeside(Share.cores(100).plus(Share.slots(10)));

    @Test
    void anAllocationIsWrittenAsHamiWritesIt() {
        Map<CardId, Share> two = new LinkedHashMap<>();
        two.put(B, Share.memory(12).plus(Share.cores(30)).plus(Share.slots(1)));
        two.put(A, Share.memory(12).plus(Share.cores(30)).plus(Share.slots(1)));
        Share whole = Share.WHOLE_CARD.plus(Share.slots(1));
        Allocation allocation = new Allocation(
                NODE.unit(),
                List.of(
                        new ContainerAllocation("load", ContainerRole.INIT, Map.of(A, whole)),
                        new ContainerAllocation("main", ContainerRole.APP, two)));
        Map<String, String> written =
                AllocationCodec.annotations(allocation, NODE, "n1", List.of("copy", "load", "main", "log"), NOW);
        assertThat(written)
                .containsKey("gpushare.io/allocation")
                .containsEntry(
                        "hami.io/vgpu-devices-allocated",
                        ";GPU-a,NVIDIA,15109,100:;GPU-b,NVIDIA,3072,30:GPU-a,NVIDIA,3072,30:;;")
                .containsEntry("hami.io/vgpu-node", "n1")
                .containsEntry("hami.io/bind-phase", "success")
                .containsEntry("hami.io/vgpu-time", "1727251686")
                .containsEntry("hami.io/bind-time", "1727251686")
                .hasSize(6);
        assertThat(HamiAnnotations.parse(written.getOrDefault("hami.io/vgpu-devices-allocated", "")))
                .containsExactly(
                        List.of(),
                        List.of(new Device(A, 15109, 100)),
                        List.of(new Device(B, 3072, 30), new Device(A, 3072, 30)),
                        List.of());
        assertThat(AllocationCodec.annotations(allocation, NODE, "n1", List.of(), NOW))
                .containsEntry(
                        "hami.io/vgpu-devices-allocated",
                        "GPU-a,NVIDIA,15109,100:;GPU-b,NVIDIA,3072,30:GPU-a,NVIDIA,3072,30:;");
        assertThat(AllocationCodec.annotationsOfAssigned(allocation))
                .containsOnlyKeys("gpushare.io/allocation", "hami.io/bind-phase");
    }

    @Test
    void fieldsOfANewerVersionAreIgnored() {
        assertThat(HamiAnnotations.parse("GPU-a,NVIDIA,3000,0,new")).containsExactly(List.of(new Device(A, 3000, 0)));
        assertThat(HamiAnnotations.parse("")).containsExactly(List.of());
    }

    /** A pod with a container without cards closed every card of its node, on the way from HAMi. */
    @Test
    void aContainerWithoutCardsMayHaveADeviceOfNothing() {
        assertThat(HamiAnnotations.parse("GPU-a,NVIDIA,1000,0:;;,,0,0:;,,0,0:;"))
                .containsExactly(List.of(new Device(A, 1000, 0)), List.of(), List.of(), List.of());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GPU-a",
                ",,1,0:;",
                ",,0:;",
                "GPU-a,NVIDIA,3000",
                ",NVIDIA,3000,0:;",
                "GPU-a,NVIDIA,-1,0:;",
                "GPU-a,NVIDIA,3000,-1:;",
                "GPU-a,NVIDIA,99999999999,0:;",
                "GPU-a,NVIDIA,３000,0:;",
                "GPU-a,NVIDIA,3e3,0:;",
                "GPU-a[0-1],NVIDIA,3000,0:;",
                "GPU-a,NVIDIA,3000,0:;\n"
            })
    void malformedDevicesAreRefused(String written) {
        assertThatThrownBy(() -> HamiAnnotations.parse(written)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aNodesCardsAreRegistered() {
        assertThat(HamiRegister.encode(NODE))
                .isEqualTo("[{\"id\":\"GPU-a\",\"index\":0,\"count\":10,\"devmem\":15109,\"devcore\":100,"
                        + "\"type\":\"NVIDIA-simulated\",\"numa\":0,\"mode\":\"hami-core\",\"health\":true},"
                        + "{\"id\":\"GPU-b\",\"index\":1,\"count\":10,\"devmem\":15109,\"devcore\":100,"
                        + "\"type\":\"NVIDIA-simulated\",\"numa\":0,\"mode\":\"hami-core\",\"health\":false}]");
        assertThat(HamiRegister.registers(NODE)).isTrue();
        assertThat(HamiRegister.registers(NODE.withBeside(Share.ALL_CORES))).isFalse();
    }
}
