package io.gpushare.model.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.Compute;
import io.gpushare.model.ContainerRole;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ComputeCodecTest {
    @Test
    void whatIsRequestedIsRoundedUpAndWhatANodeHasDown() {
        Map<String, String> odd = Map.of("cpu", "1.0005", "memory", "1048577");
        assertThat(requested(odd)).isEqualTo(new Compute(1001, 2));
        assertThat(ComputeCodec.allocatable(odd)).isEqualTo(new Compute(1000, 1));

        Map<String, String> even = Map.of("cpu", "500m", "memory", "4Gi");
        assertThat(requested(even)).isEqualTo(new Compute(500, 4096));
        assertThat(ComputeCodec.allocatable(even)).isEqualTo(new Compute(500, 4096));
    }

    @Test
    void whatCannotBeReadIsNoneAndWhatNoNodeHasIsMuch() {
        assertThat(requested(Map.of())).isEqualTo(Compute.NONE);
        assertThat(requested(Map.of("cpu", "-1", "memory", "much"))).isEqualTo(Compute.NONE);
        assertThat(requested(Map.of("cpu", "999999999999999999E", "memory", "9e99")))
                .isEqualTo(new Compute(1L << 40, 1L << 40));
    }

    private static Compute requested(Map<String, String> quantities) {
        return ComputeCodec.requested(List.of(new ContainerResources("main", ContainerRole.APP, quantities)));
    }
}
