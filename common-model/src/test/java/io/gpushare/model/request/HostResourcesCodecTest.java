package io.gpushare.model.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.ContainerRole;
import io.gpushare.model.HostResources;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HostResourcesCodecTest {
    @Test
    void requestsAreRoundedUpAndAllocatableIsRoundedDown() {
        Map<String, String> odd = Map.of("cpu", "1.0005", "memory", "1048577");
        assertThat(requested(odd)).isEqualTo(new HostResources(1001, 2));
        assertThat(HostResourcesCodec.allocatable(odd)).isEqualTo(new HostResources(1000, 1));

        Map<String, String> even = Map.of("cpu", "500m", "memory", "4Gi");
        assertThat(requested(even)).isEqualTo(new HostResources(500, 4096));
        assertThat(HostResourcesCodec.allocatable(even)).isEqualTo(new HostResources(500, 4096));
    }

    @Test
    void anInvalidQuantityIsNoneAndAHugeOneIsCapped() {
        assertThat(requested(Map.of())).isEqualTo(HostResources.NONE);
        assertThat(requested(Map.of("cpu", "-1", "memory", "much"))).isEqualTo(HostResources.NONE);
        assertThat(requested(Map.of("cpu", "999999999999999999E", "memory", "9e99")))
                .isEqualTo(new HostResources(1L << 40, 1L << 40));
    }

    private static HostResources requested(Map<String, String> quantities) {
        return HostResourcesCodec.requested(List.of(new ContainerResources("main", ContainerRole.APP, quantities)));
    }
}
