package io.gpushare.model.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.card.Share;
import io.gpushare.model.codec.Decoded;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MigDemandTest {
    private static final String LARGE = "nvidia.com/mig-3g.40gb";
    private static final String SMALL = "nvidia.com/mig-1g.10gb";
    private final DemandCodec codec = new DemandCodec(ResourceNames.DEFAULT);

    @Test
    void nvidiasNameOfAProfileTakesInstancesOfIt() {
        Demand demand = decode(Map.of(LARGE, "2"), Map.of()).valid().orElseThrow();
        assertThat(demand.total()).isEqualTo(Share.instances(2));
        assertThat(demand.wholeCards()).isEqualTo(2);
        assertThat(demand.wholeShare()).isEqualTo(Share.INSTANCE);
        assertThat(demand.selector()).hasToString("profile = 3g.40gb");
        assertThat(demand.containers().getFirst().profile()).isEqualTo("3g.40gb");
        assertThat(codec.named(List.of(container("main", Map.of(LARGE, "0"))))).isTrue();
    }

    @Test
    void theSelectorOfThePodAppliesAsWell() {
        Demand demand = decode(Map.of(LARGE, "1"), Map.of("gpushare.io/select", "model = H100"))
                .valid()
                .orElseThrow();
        assertThat(demand.selector()).hasToString("profile = 3g.40gb, model = H100");
        assertThat(demand.only(demand.containers().getFirst())).isEqualTo(demand);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "isolation = mig; profile = 3g.40gb",
                "isolation in (mps, mig); profile = 3g.40gb",
                "isolation != none; profile = 3g.40gb",
                "isolation = mps; profile = 3g.40gb, isolation = mps"
            })
    void whoTakesAnInstanceHasTheIsolationMig(String select, String selector) {
        assertThat(decode(Map.of(LARGE, "1"), Map.of("gpushare.io/select", select))
                        .valid()
                        .orElseThrow()
                        .selector())
                .hasToString(selector);
        assertThat(decode(Map.of("aliyun.com/gpu-mem", "1"), Map.of("gpushare.io/select", select))
                        .valid()
                        .orElseThrow()
                        .selector())
                .hasToString(select);
    }

    @ParameterizedTest
    @CsvSource({
        LARGE + "," + SMALL + ",a program can use one instance only",
        LARGE + ",aliyun.com/gpu-mem,request only one of them",
        LARGE + ",aliyun.com/gpu-count,request only one of them"
    })
    void aContainerRequestsOneProfileAndNothingElse(String one, String other, String reason) {
        assertThat(decode(Map.of(one, "1", other, "1"), Map.of()))
                .isInstanceOfSatisfying(
                        Decoded.Malformed.class,
                        malformed -> assertThat(malformed.reason()).contains("'main'", reason));
    }

    @ParameterizedTest
    @CsvSource({SMALL + ",use a pod for each profile", "aliyun.com/gpu-mem,use two pods"})
    void thePodRequestsOneProfileAndNothingElse(String other, String reason) {
        Decoded<Demand> decoded = codec.decode(
                List.of(container("main", Map.of(LARGE, "1")), container("other", Map.of(other, "1"))), Map.of());
        assertThat(decoded)
                .isInstanceOfSatisfying(
                        Decoded.Malformed.class,
                        malformed -> assertThat(malformed.reason()).contains(reason));
    }

    @Test
    void aBoundPodKeepsItsInstancesAndTheNodeCountsThemOfAllProfiles() {
        assertThat(codec.decodeBound(List.of(container("main", Map.of(SMALL, "1"))), Map.of())
                        .valid()
                        .orElseThrow()
                        .total())
                .isEqualTo(Share.INSTANCE);
        assertThat(codec.allocatable(Map.of(SMALL, "2", LARGE, "1", "aliyun.com/gpu-mem", "60")))
                .isEqualTo(Share.memory(60).plus(Share.instances(3)));
    }

    private Decoded<Demand> decode(Map<String, String> quantities, Map<String, String> annotations) {
        return codec.decode(List.of(container("main", quantities)), annotations);
    }

    private static ContainerResources container(String name, Map<String, String> quantities) {
        return new ContainerResources(name, ContainerRole.APP, quantities);
    }
}
