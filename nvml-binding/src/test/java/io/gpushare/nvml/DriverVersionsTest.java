package io.gpushare.nvml;

import static io.gpushare.nvml.SimulatedDriver.UUID_A;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.nvml.process.CardProcess;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Drivers from 535.43 to 535.86 write longer entries behind the newest process call than those before and after. */
class DriverVersionsTest {
    private static final long GIB = 1L << 30;

    @RegisterExtension
    private final SimulatedDriver driver = SimulatedDriver.current();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "470.256.02",
                "530.41.03",
                "535.42",
                "535.43.02",
                "535.54.03",
                "535.86.05",
                "535.97",
                "535.98",
                "535.104.05",
                "535.261.03",
                "536.67",
                "550.163.01",
                "610.43.02",
            })
    void processesAreReadFromEveryDriver(String version) throws Exception {
        driver.write(
                "driver version=" + version,
                "card kind=T4 uuid=" + UUID_A,
                process(7, 2),
                process(8, 1),
                process(9, 3));
        assertThat(processes())
                .usingRecursiveFieldByFieldElementComparatorIgnoringFields("mps")
                .containsExactly(
                        new CardProcess(7, OptionalLong.of(2 * GIB), OptionalInt.of(0)),
                        new CardProcess(8, OptionalLong.of(GIB), OptionalInt.of(0)),
                        new CardProcess(9, OptionalLong.of(3 * GIB), OptionalInt.of(0)));
    }

    /** The entries of 64 processes are longer than the array for 64 shorter ones. */
    @Test
    void sixtyFourProcessesDoNotOverflowTheArray() throws Exception {
        List<String> lines = new ArrayList<>(List.of("driver version=535.54.03", "card kind=T4 uuid=" + UUID_A));
        LongStream.rangeClosed(1, 64).forEach(pid -> lines.add("process pid=" + pid + " card=0"));
        driver.write(lines.toArray(String[]::new));
        assertThat(processes())
                .extracting(CardProcess::pid)
                .containsExactlyElementsOf(LongStream.rangeClosed(1, 64).boxed().toList());
    }

    @Test
    void aDriverThatDoesNotReportItsVersionIsReadThroughTheCallThatNeverChanged() throws Exception {
        driver.write(
                "driver version=535.54.03 fails=nvmlSystemGetDriverVersion:999",
                "card kind=T4 uuid=" + UUID_A,
                process(7, 2),
                process(8, 1));
        assertThat(processes()).extracting(CardProcess::pid).containsExactly(7L, 8L);
    }

    private static String process(int pid, int gib) {
        return "process pid=" + pid + " card=0 memory=" + gib + "GiB";
    }

    private List<CardProcess> processes() throws Exception {
        try (Nvml nvml = driver.open()) {
            return nvml.utilization(UUID_A, Instant.EPOCH).processes().orElseThrow();
        }
    }
}
