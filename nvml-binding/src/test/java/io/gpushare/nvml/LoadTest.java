package io.gpushare.nvml;

import static io.gpushare.nvml.SimulatedDriver.UUID_A;
import static io.gpushare.nvml.SimulatedDriver.UUID_B;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class LoadTest {
    private static final long GIB = 1L << 30;

    @RegisterExtension
    private final SimulatedDriver driver = SimulatedDriver.current();

    @Test
    void theLoadFollowsTheFile() throws Exception {
        driver.write("card kind=A10 memory=24GiB uuid=" + UUID_A);
        try (Nvml nvml = driver.open()) {
            assertThat(nvml.load(UUID_A))
                    .isEqualTo(new CardLoad(
                            0,
                            24 * GIB,
                            OptionalInt.of(0),
                            OptionalInt.of(0),
                            OptionalInt.of(33),
                            OptionalInt.of(17_000),
                            List.of(),
                            true));
            driver.write(
                    "card kind=A10 memory=24GiB uuid=" + UUID_A
                            + " used=1GiB utilisation=80/20 temperature=61 power=120",
                    "process pid=77 card=0 memory=2GiB",
                    "process pid=78 card=0");
            assertThat(nvml.load(UUID_A))
                    .isEqualTo(new CardLoad(
                            3 * GIB,
                            24 * GIB,
                            OptionalInt.of(80),
                            OptionalInt.of(20),
                            OptionalInt.of(61),
                            OptionalInt.of(120_000),
                            List.of(
                                    new CardProcess(77, OptionalLong.of(2 * GIB)),
                                    new CardProcess(78, OptionalLong.empty())),
                            true));
        }
    }

    @Test
    void eachCardHasItsOwnProcessesHoweverMany() throws Exception {
        List<String> lines = new ArrayList<>(List.of("card kind=T4 uuid=" + UUID_A, "card kind=T4 uuid=" + UUID_B));
        LongStream.rangeClosed(1, 200).forEach(pid -> lines.add("process pid=" + pid + " card=1 memory=1MiB"));
        driver.write(lines.toArray(String[]::new));
        try (Nvml nvml = driver.open()) {
            assertThat(nvml.load(UUID_A).processes()).isEmpty();
            assertThat(nvml.load(UUID_B).processes())
                    .extracting(CardProcess::pid)
                    .containsExactlyElementsOf(
                            LongStream.rangeClosed(1, 200).boxed().toList());
        }
    }

    @Test
    void aCardThatWasNeverThereIsNotFound() throws Exception {
        driver.write("card kind=T4 uuid=" + UUID_A);
        try (Nvml nvml = driver.open()) {
            assertThatThrownBy(() -> nvml.load(UUID_B))
                    .isInstanceOfSatisfying(
                            NvmlException.Failed.class,
                            e -> assertThat(e.code()).isEqualTo(6))
                    .hasMessageContaining("Not Found");
        }
    }

    @Test
    void aCardThatWasThereAndIsNoMoreIsLost() throws Exception {
        driver.write("card kind=T4 uuid=" + UUID_A);
        try (Nvml nvml = driver.open()) {
            nvml.cards();
            driver.write("card kind=T4 uuid=" + UUID_B);
            assertThatThrownBy(() -> nvml.load(UUID_A))
                    .isInstanceOfSatisfying(
                            NvmlException.CardLost.class,
                            e -> assertThat(e.uuid()).contains(UUID_A));
        }
    }
}
