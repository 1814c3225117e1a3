package io.gpushare.nvml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CardsTest {
    private static final long MIB = 1L << 20;
    private static final String UUID_A = "GPU-aaaaaaaa-0000-1111-2222-333333333333";
    private static final String UUID_B = "GPU-bbbbbbbb-0000-1111-2222-333333333333";

    @TempDir
    Path folder;

    private SimulatedDriver driver;

    @BeforeEach
    void load() {
        driver = new SimulatedDriver(SimulatedDriver.LIBRARY, folder);
    }

    @AfterEach
    void unload() {
        driver.close();
    }

    @Test
    void theDriverTellsItsVersions() throws Exception {
        driver.write("driver version=570.1.2 cuda=12.8");
        try (Nvml nvml = driver.open()) {
            assertThat(nvml.driver()).isEqualTo(new DriverFacts("570.1.2", "12.570.1.2", 12, 8));
            assertThat(nvml.cards()).isEmpty();
        }
    }

    @Test
    void everyFactOfACardIsRead() throws Exception {
        driver.write("card kind=H200-141 uuid=" + UUID_A + " numa=1 minor=7 ecc=off mig=on");
        try (Nvml nvml = driver.open()) {
            assertThat(nvml.cards())
                    .containsExactly(new CardReading.Present(
                            0,
                            new CardFacts(
                                    0,
                                    UUID_A,
                                    "NVIDIA H200",
                                    7,
                                    "00000000:10:00.0",
                                    143771 * MIB,
                                    Optional.of(new ComputeCapability(9, 0)),
                                    Optional.of(false),
                                    OptionalInt.of(1),
                                    Optional.of(true))));
        }
    }

    @Test
    void aLostCardKeepsItsUuidAndDoesNotHideTheOthers() throws Exception {
        driver.write("card kind=T4 uuid=" + UUID_A, "card kind=A10 uuid=" + UUID_B);
        try (Nvml nvml = driver.open()) {
            List<CardReading> before = nvml.cards();
            driver.write("card kind=T4 uuid=" + UUID_A + " lost", "card kind=A10 uuid=" + UUID_B);
            assertThat(nvml.cards())
                    .containsExactly(
                            new CardReading.Lost(
                                    0,
                                    Optional.of(UUID_A),
                                    "nvmlDeviceGetHandleByIndex_v2: GPU is lost (NVML code 15)"),
                            before.get(1));
            assertThatThrownBy(() -> nvml.load(UUID_A))
                    .isInstanceOfSatisfying(
                            NvmlException.CardLost.class,
                            e -> assertThat(e.uuid()).contains(UUID_A));
            driver.write("card kind=T4 uuid=" + UUID_A, "card kind=A10 uuid=" + UUID_B);
            assertThat(nvml.cards()).isEqualTo(before);
        }
    }
}
