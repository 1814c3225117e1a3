package io.gpushare.nvml;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.nvml.LinkLevel.Pcie;
import io.gpushare.nvml.library.NvmlException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CardLinkTest {
    @RegisterExtension
    private final SimulatedDriver driver = SimulatedDriver.current();

    @Test
    void pcieLevelsNameWhatThePathCrosses() throws Exception {
        driver.write(
                "card kind=T4 numa=0 pcie-switch=x",
                "card kind=T4 numa=0 pcie-switch=x",
                "card kind=T4 numa=0",
                "card kind=T4 numa=1");
        assertThat(link(0, 0)).isEqualTo(new LinkLevel(Optional.of(Pcie.SAME_BOARD), 0));
        assertThat(link(0, 1)).isEqualTo(new LinkLevel(Optional.of(Pcie.ONE_SWITCH), 0));
        assertThat(link(0, 2)).isEqualTo(new LinkLevel(Optional.of(Pcie.NUMA_NODE), 0));
        assertThat(link(3, 0)).isEqualTo(new LinkLevel(Optional.of(Pcie.SYSTEM), 0));
    }

    @Test
    void directLinksAreCountedByPeerFromBothEnds() throws Exception {
        driver.write("card kind=V100-32 nvlink=1*2,2", "card kind=V100-32 nvlink=0", "card kind=V100-32");
        assertThat(link(0, 1).nvLinks()).isEqualTo(2);
        assertThat(link(1, 0).nvLinks()).isEqualTo(2);
        assertThat(link(2, 0).nvLinks()).isEqualTo(1);
        assertThat(link(1, 2).nvLinks()).isZero();
    }

    @Test
    void aSwitchLinksEveryPairThatIsOnIt() throws Exception {
        driver.write("card kind=H100-80 nvlink=switch*18", "card kind=H100-80 nvlink=switch*16", "card kind=H100-80");
        assertThat(link(0, 1).nvLinks()).isEqualTo(16);
        assertThat(link(1, 0).nvLinks()).isEqualTo(16);
        assertThat(link(0, 2).nvLinks()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"610.43.02, 36", "580.95.05, 18"})
    void allLinksThatTheDriverSupportsAreCounted(String version, int links) throws Exception {
        driver.write(
                "driver version=" + version,
                "card kind=H200-141 nvlinks=36 nvlink=switch*36",
                "card kind=H200-141 nvlinks=36 nvlink=switch*36");
        assertThat(link(0, 1).nvLinks()).isEqualTo(links);
    }

    /** NVML's errors "function not found", "not supported" and "unknown". */
    @ParameterizedTest
    @ValueSource(ints = {13, 3, 999})
    void thePciePathIsKnownWithoutNvLinks(int code) throws Exception {
        for (String call : List.of("nvmlDeviceGetNvLinkState", "nvmlDeviceGetNvLinkRemoteDeviceType")) {
            driver.write(
                    "driver fails=" + call + ":" + code,
                    "card kind=H100-80 numa=0 nvlink=switch*18",
                    "card kind=H100-80 numa=0 nvlink=switch*18");
            assertThat(link(0, 1)).as(call).isEqualTo(new LinkLevel(Optional.of(Pcie.NUMA_NODE), 0));
        }
    }

    private LinkLevel link(int one, int other) throws NvmlException {
        List<String> uuids = driver.facts().stream().map(CardFacts::uuid).toList();
        try (Nvml nvml = driver.open()) {
            return nvml.link(uuids.get(one), uuids.get(other));
        }
    }
}
