package io.gpushare.nvml;

import static io.gpushare.nvml.SimulatedDriver.UUID_A;
import static io.gpushare.nvml.SimulatedDriver.UUID_B;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpushare.nvml.library.NvmlException;
import io.gpushare.nvml.process.CardProcess;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

class CardUtilizationTest {
    private static final long GIB = 1L << 30;

    @RegisterExtension
    private final SimulatedDriver driver = SimulatedDriver.current();

    @Test
    void theUtilizationFollowsTheFile() throws Exception {
        driver.write("card kind=A10 memory=24GiB uuid=" + UUID_A);
        try (Nvml nvml = driver.open()) {
            assertThat(nvml.utilization(UUID_A, Instant.EPOCH))
                    .isEqualTo(new CardUtilization(
                            OptionalLong.of(0),
                            OptionalInt.of(0),
                            OptionalInt.of(33),
                            OptionalInt.of(17_000),
                            Optional.of(new CardUtilization.EccErrors(0, 0)),
                            Optional.of(List.of())));
            driver.write(
                    "card kind=A10 memory=24GiB uuid=" + UUID_A
                            + " used=1GiB utilisation=80/20 temperature=61 power=120 ecc-errors=12/1",
                    "process pid=77 card=0 memory=2GiB utilisation=55",
                    "process pid=78 card=0");
            assertThat(nvml.utilization(UUID_A, Instant.EPOCH))
                    .isEqualTo(new CardUtilization(
                            OptionalLong.of(3 * GIB),
                            OptionalInt.of(80),
                            OptionalInt.of(61),
                            OptionalInt.of(120_000),
                            Optional.of(new CardUtilization.EccErrors(12, 1)),
                            Optional.of(List.of(
                                    process(77, OptionalLong.of(2 * GIB), OptionalInt.of(55)),
                                    process(78, OptionalLong.empty(), OptionalInt.of(0))))));
        }
    }

    @Test
    void theDriverUsesMemoryBesideProgramsWhereContextsCostMemory() throws Exception {
        driver.write("card kind=H100-80 context=on uuid=" + UUID_A);
        try (Nvml nvml = driver.open()) {
            assertThat(nvml.utilization(UUID_A, Instant.EPOCH).memoryUsedBytes())
                    .hasValue(0);
            driver.write("card kind=H100-80 context=on uuid=" + UUID_A, "process pid=77 card=0 memory=1030MiB");
            assertThat(nvml.utilization(UUID_A, Instant.EPOCH).memoryUsedBytes())
                    .hasValue(1038L << 20);
        }
    }

    @Test
    void samplesAreReportedOnce() throws Exception {
        driver.write("card kind=T4 uuid=" + UUID_A, "process pid=7 card=0 memory=1GiB utilisation=90");
        try (Nvml nvml = driver.open()) {
            assertThat(nvml.utilization(UUID_A, Instant.now().plusSeconds(60))
                            .processes()
                            .orElseThrow())
                    .containsExactly(process(7, OptionalLong.of(GIB), OptionalInt.of(0)));
            assertThat(nvml.utilization(UUID_A, Instant.now().minusSeconds(5))
                            .processes()
                            .orElseThrow())
                    .containsExactly(process(7, OptionalLong.of(GIB), OptionalInt.of(90)));
        }
    }

    @Test
    void aCardWithoutErrorCorrectionReportsNoErrors() throws Exception {
        driver.write("card kind=T4 ecc=off ecc-errors=3/1 uuid=" + UUID_A);
        try (Nvml nvml = driver.open()) {
            assertThat(nvml.utilization(UUID_A, Instant.EPOCH).eccErrors()).isEmpty();
        }
    }

    @Test
    void eachCardHasItsOwnProcesses() throws Exception {
        List<String> lines = new ArrayList<>(List.of("card kind=T4 uuid=" + UUID_A, "card kind=T4 uuid=" + UUID_B));
        LongStream.rangeClosed(1, 200)
                .forEach(pid -> lines.add("process pid=" + pid + " card=1 memory=1MiB utilisation=1"));
        driver.write(lines.toArray(String[]::new));
        try (Nvml nvml = driver.open()) {
            assertThat(nvml.utilization(UUID_A, Instant.EPOCH).processes().orElseThrow())
                    .isEmpty();
            assertThat(nvml.utilization(UUID_B, Instant.EPOCH).processes().orElseThrow())
                    .extracting(CardProcess::pid)
                    .containsExactlyElementsOf(
                            LongStream.rangeClosed(1, 200).boxed().toList());
            assertThat(nvml.utilization(UUID_B, Instant.EPOCH).processes().orElseThrow())
                    .allMatch(process -> process.gpuUtilization().equals(OptionalInt.of(1)));
        }
    }

    @Test
    void aProgramOnACardThatWasRemovedDisturbsNoOther() throws Exception {
        long pid = ProcessHandle.current().pid();
        driver.write("card kind=T4 uuid=" + UUID_A);
        driver.processes(
                "process pid=" + pid + " card=" + UUID_B + " memory=1GiB",
                "process pid=" + pid + " card=" + UUID_A + " memory=2GiB");
        try (Nvml nvml = driver.open()) {
            assertThat(nvml.utilization(UUID_A, Instant.EPOCH).processes().orElseThrow())
                    .containsExactly(process(pid, OptionalLong.of(2 * GIB), OptionalInt.of(0)));
        }
    }

    /**
     * In a container whose first process waits for nobody, programs stay zombies. The driver has freed what they had.
     */
    @Test
    @Timeout(60)
    void aProgramThatHasEndedAndNobodyWaitsForHasNothing() throws Exception {
        Process parent = new ProcessBuilder("sh", "-c", "sleep 0 & echo $!; exec sleep 60").start();
        try (BufferedReader output = parent.inputReader()) {
            String zombie = output.readLine();
            while (!Files.readString(Path.of("/proc", zombie, "stat")).contains(") Z ")) {
                Thread.sleep(5);
            }
            driver.write("card kind=T4 uuid=" + UUID_A);
            driver.processes(
                    "process pid=" + zombie + " card=" + UUID_A + " memory=1GiB",
                    "process pid=" + parent.pid() + " card=" + UUID_A + " memory=2GiB");
            try (Nvml nvml = driver.open()) {
                assertThat(nvml.utilization(UUID_A, Instant.EPOCH).processes().orElseThrow())
                        .containsExactly(process(parent.pid(), OptionalLong.of(2 * GIB), OptionalInt.of(0)));
            }
        } finally {
            parent.destroyForcibly();
        }
    }

    @Test
    void anUnknownCardIsNotFound() throws Exception {
        driver.write("card kind=T4 uuid=" + UUID_A);
        try (Nvml nvml = driver.open()) {
            assertThatThrownBy(() -> nvml.utilization(UUID_B, Instant.EPOCH))
                    .isInstanceOfSatisfying(
                            NvmlException.Failed.class,
                            e -> assertThat(e.code()).isEqualTo(6))
                    .hasMessageContaining("Not Found");
        }
    }

    @Test
    void aCardThatDisappearsIsLost() throws Exception {
        driver.write("card kind=T4 uuid=" + UUID_A);
        try (Nvml nvml = driver.open()) {
            nvml.cards();
            driver.write("card kind=T4 uuid=" + UUID_B);
            assertThatThrownBy(() -> nvml.utilization(UUID_A, Instant.EPOCH))
                    .isInstanceOfSatisfying(
                            NvmlException.CardLost.class,
                            e -> assertThat(e.uuid()).contains(UUID_A));
        }
    }

    private static CardProcess process(long pid, OptionalLong memory, OptionalInt utilization) {
        return new CardProcess(pid, memory, utilization, Optional.of(false));
    }
}
