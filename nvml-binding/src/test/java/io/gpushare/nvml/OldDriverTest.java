package io.gpushare.nvml;

import static io.gpushare.nvml.SimulatedDriver.UUID_A;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.nvml.process.CardProcess;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class OldDriverTest {
    private static final long GIB = 1L << 30;

    @RegisterExtension
    private final SimulatedDriver driver = SimulatedDriver.old();

    @Test
    void factsWithoutACallAreEmptyAndTheOthersAreRead() throws Exception {
        driver.write("card kind=A100-40 numa=1 mig=on");
        CardFacts card = driver.facts().getFirst();
        assertThat(card.memoryTotalBytes()).hasValue((40960L - 620) << 20);
        assertThat(card.memoryReservedBytes()).isEmpty();
        assertThat(card.compute()).contains(new CudaCapability(8, 0));
        assertThat(card.numaNode()).isEmpty();
        assertThat(card.mig()).isEmpty();
    }

    @Test
    void theUtilizationComesFromTheOlderCalls() throws Exception {
        driver.write(
                "card kind=T4 uuid=" + UUID_A, "process pid=7 card=0 memory=2GiB", "process pid=8 card=0 memory=1GiB");
        try (Nvml nvml = driver.open()) {
            CardUtilization load = nvml.utilization(UUID_A, Instant.EPOCH);
            assertThat(load.memoryUsedBytes()).hasValue(3 * GIB);
            assertThat(load.processes().orElseThrow())
                    .containsExactly(
                            new CardProcess(7, OptionalLong.of(2 * GIB), OptionalInt.of(0)),
                            new CardProcess(8, OptionalLong.of(GIB), OptionalInt.of(0)));
        }
    }

    @Test
    void xidsComeThroughTheOlderWait() throws Exception {
        driver.write("card kind=T4 uuid=" + UUID_A);
        try (Nvml nvml = driver.open();
                XidWatch watch = nvml.watchXids(List.of(UUID_A))) {
            driver.write("card kind=T4 xid=79#1 uuid=" + UUID_A);
            assertThat(watch.await(Duration.ofSeconds(30))).contains(new XidEvent(Optional.of(UUID_A), 79));
        }
    }

    @Test
    void linksThroughASwitchAreNotKnown() throws Exception {
        driver.write("card kind=H100-80 nvlink=switch*18", "card kind=H100-80 nvlink=switch*18");
        List<CardFacts> cards = driver.facts();
        try (Nvml nvml = driver.open()) {
            assertThat(nvml.link(cards.getFirst().uuid(), cards.getLast().uuid())
                            .nvLinks())
                    .isZero();
        }
    }
}
