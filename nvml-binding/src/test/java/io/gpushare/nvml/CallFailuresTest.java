package io.gpushare.nvml;

import static io.gpushare.nvml.SimulatedDriver.UUID_A;
import static io.gpushare.nvml.SimulatedDriver.UUID_B;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.nvml.library.NvmlException;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each call that is made for a card fails with each code, for one card and for all: a missing fact costs that fact, a
 * failing card that card, and never another one.
 */
class CallFailuresTest {
    private static final int DRIVER_NOT_LOADED = 9;
    private static final int LIBRARY_NOT_FOUND = 12;
    private static final int GPU_IS_LOST = 15;

    /** NVML's codes: nvmlReturn_t of driver 580, and one that is not listed there. */
    private static final List<Integer> CODES = IntStream.concat(IntStream.rangeClosed(1, 28), IntStream.of(99, 999))
            .boxed()
            .toList();

    /** The calls without which there is no card. */
    private static final List<String> REQUIRED = List.of("nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetUUID");

    /** The calls for facts of a card, which are read with its UUID. */
    private static final List<String> FACTS = List.of(
            "nvmlDeviceGetName",
            "nvmlDeviceGetMinorNumber",
            "nvmlDeviceGetMemoryInfo_v2",
            "nvmlDeviceGetMemoryInfo_v2,nvmlDeviceGetMemoryInfo",
            "nvmlDeviceGetCudaComputeCapability",
            "nvmlDeviceGetEccMode",
            "nvmlDeviceGetMemoryAffinity",
            "nvmlDeviceGetNumaNodeId",
            "nvmlDeviceGetMigMode");

    /** The calls for the utilization of a card, its links and its events. */
    private static final List<String> OTHERS = List.of(
            "nvmlDeviceGetHandleByUUID",
            "nvmlDeviceGetMemoryInfo_v2,nvmlDeviceGetMemoryInfo",
            "nvmlDeviceGetUtilizationRates",
            "nvmlDeviceGetTemperature",
            "nvmlDeviceGetPowerUsage",
            "nvmlDeviceGetTotalEccErrors",
            "nvmlDeviceGetProcessUtilization",
            "nvmlDeviceGetComputeRunningProcesses_v3",
            "nvmlDeviceGetComputeRunningProcesses_v3,nvmlDeviceGetComputeRunningProcesses_v2,"
                    + "nvmlDeviceGetComputeRunningProcesses",
            "nvmlDeviceGetMPSComputeRunningProcesses_v3",
            "nvmlDeviceGetTopologyCommonAncestor",
            "nvmlDeviceGetPciInfo_v3",
            "nvmlDeviceGetNvLinkState",
            "nvmlDeviceGetNvLinkRemotePciInfo_v2",
            "nvmlDeviceGetNvLinkRemoteDeviceType",
            "nvmlDeviceGetSupportedEventTypes",
            "nvmlDeviceRegisterEvents");

    @RegisterExtension
    private final SimulatedDriver driver = SimulatedDriver.current();

    static Stream<String> facts() {
        return FACTS.stream();
    }

    static Stream<String> required() {
        return REQUIRED.stream();
    }

    static Stream<String> others() {
        return OTHERS.stream();
    }

    static Stream<String> ofTheDriver() {
        return Stream.of("nvmlSystemGetDriverVersion", "nvmlSystemGetCudaDriverVersion_v2");
    }

    @ParameterizedTest
    @MethodSource("facts")
    void aMissingFactCostsThatFact(String call) throws Exception {
        for (int code : CODES) {
            oneFails(call, code);
            try (Nvml nvml = driver.open()) {
                List<CardReading> readings = nvml.cards();
                assertPresent(readings.get(1), UUID_B, code);
                if (code != GPU_IS_LOST) {
                    assertPresent(readings.get(0), UUID_A, code);
                }
            }
            allFail(call, code);
            try (Nvml nvml = driver.open()) {
                List<CardReading> readings = nvml.cards();
                assertThat(readings).hasSize(2);
                if (code != GPU_IS_LOST) {
                    assertPresent(readings.get(0), UUID_A, code);
                    assertPresent(readings.get(1), UUID_B, code);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("required")
    void aFailingCardCostsThatCard(String call) throws Exception {
        for (int code : CODES) {
            oneFails(call, code);
            try (Nvml nvml = driver.open()) {
                List<CardReading> readings = nvml.cards();
                assertThat(readings.get(0)).isInstanceOf(CardReading.Lost.class);
                assertPresent(readings.get(1), UUID_B, code);
            }
            allFail(call, code);
            boolean driverIsGone = code == DRIVER_NOT_LOADED || code == LIBRARY_NOT_FOUND;
            try (Nvml nvml = driver.open()) {
                List<CardReading> readings = nvml.cards();
                assertThat(driverIsGone).isFalse();
                assertThat(readings).hasSize(2).hasOnlyElementsOfType(CardReading.Lost.class);
            } catch (NvmlException.DriverMissing e) {
                assertThat(driverIsGone)
                        .as("%s of all cards returns %d", call, code)
                        .isTrue();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("others")
    void whatElseFailsForACardLeavesTheOtherOneWhole(String call) throws Exception {
        for (int code : CODES) {
            oneFails(call, code);
            try (Nvml nvml = driver.open()) {
                assertPresent(nvml.cards().get(1), UUID_B, code);
                assertThat(nvml.utilization(UUID_B, Instant.EPOCH).temperatureCelsius())
                        .isPresent();
                if (code != GPU_IS_LOST && !call.equals("nvmlDeviceGetHandleByUUID")) {
                    nvml.utilization(UUID_A, Instant.EPOCH);
                    nvml.link(UUID_A, UUID_B);
                }
                try (XidWatch watch = nvml.watchXids(List.of(UUID_A, UUID_B))) {
                    assertThat(watch.unwatched()).doesNotContain(UUID_B);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("ofTheDriver")
    void aVersionThatIsNotReportedCostsNothingElse(String call) throws Exception {
        for (int code : CODES) {
            allFail(call, code);
            try (Nvml nvml = driver.open()) {
                nvml.driver();
                assertThat(nvml.cards()).hasSize(2).hasOnlyElementsOfType(CardReading.Present.class);
            }
        }
    }

    private void oneFails(String calls, int code) {
        driver.write("card kind=T4 uuid=" + UUID_A + " fails=" + failing(calls, code), "card kind=T4 uuid=" + UUID_B);
    }

    private void allFail(String calls, int code) {
        driver.write(
                "driver fails=" + failing(calls, code), "card kind=T4 uuid=" + UUID_A, "card kind=T4 uuid=" + UUID_B);
    }

    private static String failing(String calls, int code) {
        return calls.replace(",", ":" + code + ",") + ":" + code;
    }

    private static void assertPresent(CardReading reading, String uuid, int code) {
        assertThat(reading)
                .as("with code %d", code)
                .isInstanceOfSatisfying(
                        CardReading.Present.class,
                        present -> assertThat(present.facts().uuid()).isEqualTo(uuid));
    }
}
