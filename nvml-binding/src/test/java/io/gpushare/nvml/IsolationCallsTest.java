package io.gpushare.nvml;

import static io.gpushare.nvml.SimulatedDriver.UUID_A;
import static io.gpushare.nvml.SimulatedDriver.UUID_B;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.jna.Pointer;
import com.sun.jna.Structure;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.PointerByReference;
import io.gpushare.nvml.library.NvmlException;
import io.gpushare.nvml.library.NvmlLibrary;
import io.gpushare.nvml.process.CardProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
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

    /** As seen on an H200 with driver 580.159: nvmlDeviceGetProcessUtilization has samples of the server only. */
    @Test
    void theUtilizationOfClientsOfMpsIsTheirServers() throws Exception {
        write(
                "driver version=580.159.04",
                "process pid=6 card=0 memory=66MiB mps-server",
                "process pid=7 card=0 memory=1GiB utilisation=10 mps",
                "process pid=8 card=0 memory=2GiB utilisation=25 mps",
                "process pid=9 card=1 memory=1GiB utilisation=50 mps",
                "process pid=10 card=1 memory=2GiB utilisation=40");
        try (Nvml nvml = driver.open()) {
            assertThat(processes(nvml, UUID_A))
                    .containsExactly(
                            process(6, 66L << 20, OptionalInt.of(35), false),
                            process(7, GIB, OptionalInt.empty(), true),
                            process(8, 2 * GIB, OptionalInt.empty(), true));
            assertThat(processes(nvml, UUID_B))
                    .as("without a server in the list")
                    .containsExactly(
                            process(9, GIB, OptionalInt.empty(), true),
                            process(10, 2 * GIB, OptionalInt.of(40), false));
        }
        assertThat(listed(NvmlLibrary::nvmlDeviceGetComputeRunningProcesses_v3)).containsExactly(6, 7, 8);
        assertThat(listed(NvmlLibrary::nvmlDeviceGetMPSComputeRunningProcesses_v3))
                .containsExactly(7, 8);
    }

    @Test
    void aServerWhoseClientsDoNotComputeHasNoSample() throws Exception {
        write(
                "driver version=580.159.04",
                "process pid=6 card=0 memory=66MiB mps-server",
                "process pid=7 card=0 memory=1GiB mps",
                "process pid=8 card=1 memory=1GiB utilisation=90 mps");
        try (Nvml nvml = driver.open()) {
            assertThat(processes(nvml, UUID_A))
                    .containsExactly(
                            process(6, 66L << 20, OptionalInt.of(0), false),
                            process(7, GIB, OptionalInt.empty(), true));
        }
    }

    private static List<CardProcess> processes(Nvml nvml, String card) throws NvmlException {
        return nvml.utilization(card, Instant.EPOCH).processes().orElseThrow();
    }

    private static CardProcess process(long pid, long bytes, OptionalInt percent, boolean client) {
        return new CardProcess(pid, OptionalLong.of(bytes), percent, Optional.of(client));
    }

    private interface ProcessList {
        int call(NvmlLibrary nvml, Pointer device, IntByReference count, Structure[] infos);
    }

    /** The PIDs that a call of the library lists of card A. */
    private List<Integer> listed(ProcessList list) {
        NvmlLibrary nvml = driver.library();
        PointerByReference device = new PointerByReference();
        IntByReference count = new IntByReference(8);
        Structure[] infos = new NvmlLibrary.nvmlProcessInfo_v2_t().toArray(count.getValue());
        assertThat(nvml.nvmlInit_v2()).isZero();
        assertThat(nvml.nvmlDeviceGetHandleByUUID(UUID_A, device)).isZero();
        assertThat(list.call(nvml, device.getValue(), count, infos)).isZero();
        assertThat(nvml.nvmlShutdown()).isZero();
        return Arrays.stream(infos, 0, count.getValue())
                .map(info -> ((NvmlLibrary.nvmlProcessInfo_v2_t) info).pid)
                .toList();
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
