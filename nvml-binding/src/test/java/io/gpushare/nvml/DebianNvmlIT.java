package io.gpushare.nvml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import io.gpushare.nvml.library.NvmlCalls;
import io.gpushare.nvml.library.NvmlException;
import io.gpushare.nvml.library.NvmlLibrary;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** NVIDIA's closed libraries, as Debian packages them, on a machine without a card. */
class DebianNvmlIT {
    private static final int UNINITIALIZED = 1;
    private static final String LIMITS = "nvmlDeviceSetMemoryLimits_v1 nvmlDeviceGetMemoryLimits_v1";

    @SuppressWarnings("NullAway.Init")
    private static Path libraries;

    @BeforeAll
    static void fetch() throws Exception {
        Process process = new ProcessBuilder("debian-nvml/fetch").start();
        List<String> output =
                process.inputReader(StandardCharsets.UTF_8).lines().toList();
        String problem = process.errorReader(StandardCharsets.UTF_8).lines().collect(Collectors.joining("\n"));
        assertThat(process.waitFor()).as(problem).isZero();
        libraries = Path.of(output.getLast());
    }

    private static Path library(int driver) {
        return libraries.resolve(driver + "/libnvidia-ml.so.1");
    }

    @ParameterizedTest
    @ValueSource(ints = {470, 525, 535, 550})
    void theLibraryLoadsAndReportsThatNoDriverIsLoaded(int driver) {
        assertThatThrownBy(() -> Nvml.open(library(driver).toString()))
                .as("on a machine without a card")
                .isInstanceOf(NvmlException.DriverMissing.class)
                .hasMessage("nvmlInit_v2: Driver Not Loaded (NVML code 9)");
    }

    @ParameterizedTest
    @CsvSource({
        "470, nvmlDeviceGetMemoryInfo_v2 nvmlDeviceGetNumaNodeId nvmlDeviceGetComputeRunningProcesses_v3"
                + " nvmlDeviceGetMPSComputeRunningProcesses_v3 " + LIMITS,
        "525, nvmlDeviceGetNumaNodeId " + LIMITS,
        "535, nvmlDeviceGetNumaNodeId " + LIMITS,
        "550, " + LIMITS,
    })
    void theLibraryHasEveryCallButThoseThatHaveAFallback(int driver, String missing) {
        NativeLibrary loaded = NativeLibrary.getInstance(library(driver).toString());
        assertThat(Arrays.stream(NvmlLibrary.class.getDeclaredMethods())
                        .map(Method::getName)
                        .filter(call -> !exports(loaded, call)))
                .containsExactlyInAnyOrder(missing.split(" ", -1));
    }

    private static boolean exports(NativeLibrary library, String call) {
        try {
            library.getFunction(call);
            return true;
        } catch (UnsatisfiedLinkError e) {
            return false;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {470, 525, 535, 550})
    void callsBeforeTheInitializationAreRefused(int driver) throws Exception {
        var calls = new NvmlCalls(Native.load(library(driver).toString(), NvmlLibrary.class));
        assertThatThrownBy(() -> calls.number("nvmlDeviceGetCount_v2", NvmlLibrary::nvmlDeviceGetCount_v2))
                .isInstanceOfSatisfying(
                        NvmlException.Failed.class, e -> assertThat(e.code()).isEqualTo(UNINITIALIZED))
                .hasMessageContaining("Uninitialized");
        calls.end("nvmlShutdown", NvmlLibrary::nvmlShutdown);
    }
}
