package io.gpushare.model.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpushare.model.codec.Decoded;
import io.gpushare.model.codec.DeviceId;
import org.junit.jupiter.api.Test;

class ResourceNamesTest {
    @Test
    void memoryAndCardsAreAlwaysCounted() {
        for (String[] pair : new String[][] {{"", "a.com/c"}, {"a.com/m", ""}, {"", ""}}) {
            assertThatThrownBy(() -> new ResourceNames(pair[0], pair[1]))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'' is not the name of an extended resource");
        }
    }

    @Test
    void memoryIdsUnderTheNameOfSlotsAreNotOurs() {
        ResourceNames names = ResourceNames.DEFAULT.withHami();
        assertThat(DeviceId.parse(names.deviceId("nvidia.com/gpu", "GPU-a::0"))).isInstanceOf(Decoded.Malformed.class);
        for (String id : new String[] {"GPU-a::s0", "GPU-a", "x"}) {
            assertThat(names.deviceId("nvidia.com/gpu", id)).isEqualTo(id);
        }
        assertThat(names.deviceId("aliyun.com/gpu-mem", "GPU-a::0")).isEqualTo("GPU-a::0");
        ResourceNames memory = new ResourceNames("nvidia.com/gpu", "aliyun.com/gpu-count");
        assertThat(memory.deviceId("nvidia.com/gpu", "GPU-a::0")).isEqualTo("GPU-a::0");
    }
}
