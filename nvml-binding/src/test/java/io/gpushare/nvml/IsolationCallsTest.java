package io.gpushare.nvml;

import static io.gpushare.nvml.SimulatedDriver.UUID_A;
import static io.gpushare.nvml.SimulatedDriver.UUID_B;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpushare.nvml.library.NvmlException;
import io.gpushare.nvml.process.CardProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The calls that isolate containers: memory limits of cgroups, compute modes, and the clients of MPS. */
class IsolationCallsTest {
    private static final long GIB = 1L << 30;

    @RegisterExtension
    private final SimulatedDriver driver = SimulatedDriver.current();

    @TempDir
    private Path cgroups;

    @ParameterizedTest
    @ValueSource(strings = {"misc", "dmem"})
    void aLimitIsOfOneCgroupOnOneCardUntilItIsRemoved(String backend) throws Exception {
        write("driver version=615.10 limits=" + backend);
        String pod = Files.createDirectory(cgroups.resolve("pod")).toString();
        try (Nvml nvml = driver.open()) {
            assertThat(nvml.memoryLimit(UUID_A, pod)).isEmpty();

            nvml.limitMemory(UUID_A, pod, 3 * GIB);

            assertThat(nvml.memoryLimit(UUID_A, pod)).hasValue(3 * GIB);
            assertThat(nvml.memoryLimit(UUID_B, pod)).isEmpty();
            assertThat(nvml.memoryLimit(UUID_A, cgroups.toString())).isEmpty();
            nvml.removeMemoryLimit(UUID_A, pod);
            assertThat(nvml.memoryLimit(UUID_A, pod)).isEmpty();
        }
    }

    @Test
    void aLimitBelowWhatIsInUseIsRefused() throws Exception {
        String pod = Files.createDirectory(cgroups.resolve("pod")).toString();
        write("driver version=615.10", "process pid=1 card=0 memory=2GiB cgroup=" + pod + "/container");
        try (Nvml nvml = driver.open()) {
            assertThatThrownBy(() -> nvml.limitMemory(UUID_A, pod, GIB)).isInstanceOf(NvmlException.Failed.class);
            nvml.limitMemory(UUID_A, pod, 2 * GIB);
            assertThatThrownBy(() -> nvml.limitMemory(UUID_A, pod + "/missing", GIB))
                    .isInstanceOf(NvmlException.Failed.class)
                    .hasMessageContaining("Invalid Argument");
        }
    }

    @Test
    void anOlderDriverHasNoLimits() throws Exception {
        write("driver version=580.95.05");
        try (Nvml nvml = driver.open()) {
            assertThatThrownBy(() -> nvml.memoryLimit(UUID_A, cgroups.toString()))
                    .isInstanceOf(NvmlException.Unsupported.class);
            assertThatThrownBy(() -> nvml.limitMemory(UUID_A, cgroups.toString(), GIB))
                    .isInstanceOf(NvmlException.Unsupported.class);
        }
    }

    @Test
    void theComputeModeIsOfOneCard() throws Exception {
        write("driver version=550.163.01");
        try (Nvml nvml = driver.open()) {
            assertThat(nvml.computeMode(UUID_A)).isEqualTo(ComputeMode.DEFAULT);
            nvml.setComputeMode(UUID_A, ComputeMode.EXCLUSIVE_PROCESS);
            assertThat(nvml.computeMode(UUID_A)).isEqualTo(ComputeMode.EXCLUSIVE_PROCESS);
            assertThat(nvml.computeMode(UUID_B)).isEqualTo(ComputeMode.DEFAULT);
            nvml.setComputeMode(UUID_A, ComputeMode.DEFAULT);
            assertThat(nvml.computeMode(UUID_A)).isEqualTo(ComputeMode.DEFAULT);
        }
    }

    @Test
    void clientsOfMpsAreListedBesideTheOtherProcesses() throws Exception {
        write(
                "driver version=550.163.01",
                "process pid=7 card=0 memory=1GiB utilisation=10",
                "process pid=8 card=0 memory=2GiB mps");
        try (Nvml nvml = driver.open()) {
            assertThat(nvml.utilization(UUID_A, Instant.EPOCH).processes().orElseThrow())
                    .containsExactly(
                            new CardProcess(7, OptionalLong.of(GIB), OptionalInt.of(10), Optional.of(false)),
                            new CardProcess(8, OptionalLong.of(2 * GIB), OptionalInt.of(0), Optional.of(true)));
        }
    }

    private void write(String... lines) {
        String[] all = new String[lines.length + 2];
        all[0] = lines[0];
        all[1] = "card kind=T4 uuid=" + UUID_A;
        all[2] = "card kind=T4 uuid=" + UUID_B;
        System.arraycopy(lines, 1, all, 3, lines.length - 1);
        driver.write(all);
    }
}
