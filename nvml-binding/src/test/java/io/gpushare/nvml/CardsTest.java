package io.gpushare.nvml;

import static io.gpushare.nvml.SimulatedDriver.UUID_A;
import static io.gpushare.nvml.SimulatedDriver.UUID_B;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpushare.nvml.library.NvmlException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CardsTest {
    private static final long MIB = 1L << 20;

    @RegisterExtension
    private final SimulatedDriver driver = SimulatedDriver.current();

    @Test
    void theDriverReportsItsVersions() throws Exception {
        driver.write("driver version=570.1.2 cuda=12.8");
        try (Nvml nvml = driver.open()) {
            assertThat(nvml.driver()).isEqualTo(new DriverFacts(Optional.of("570.1.2"), Optional.of("12.8")));
            assertThat(nvml.cards()).isEmpty();
        }
    }

    @Test
    void everyFactOfACardIsRead() throws Exception {
        driver.write("card kind=H200-141 uuid=" + UUID_A + " numa=1 minor=7 ecc=off mig=on");
        assertThat(driver.facts())
                .containsExactly(new CardFacts(
                        0,
                        UUID_A,
                        Optional.of("NVIDIA H200"),
                        OptionalInt.of(7),
                        OptionalLong.of(143771 * MIB),
                        OptionalLong.of(616 * MIB),
                        Optional.of(new CudaCapability(9, 0)),
                        Optional.of(false),
                        OptionalInt.of(1),
                        Optional.of("0000:10:00.0"),
                        Optional.of(new MigFacts(true, true, List.of()))));
    }

    @ParameterizedTest
    @CsvSource({
        "T4, Tesla T4, 15360, 447, 7.5, ",
        "V100-16, Tesla V100-SXM2-16GB, 16384, 236, 7.0, ",
        "V100-32, Tesla V100-SXM2-32GB, 32768, 277, 7.0, ",
        "A10, NVIDIA A10, 23028, 517, 8.6, ",
        "L4, NVIDIA L4, 23034, 471, 8.9, ",
        "L40S, NVIDIA L40S, 46068, 608, 8.9, ",
        "A100-40, NVIDIA A100-SXM4-40GB, 40960, 620, 8.0, false",
        "A100-80, NVIDIA A100-SXM4-80GB, 81920, 763, 8.0, false",
        "H100-80, NVIDIA H100 80GB HBM3, 81559, 480, 9.0, false",
        "H200-141, NVIDIA H200, 143771, 616, 9.0, false",
    })
    void everyKindMatchesItsRealCard(String kind, String model, long mib, long reserved, String compute, Boolean mig)
            throws Exception {
        driver.write("card kind=" + kind);
        CardFacts card = driver.facts().getFirst();
        assertThat(card.model()).hasValue(model);
        assertThat(card.memoryTotalBytes().orElseThrow()).isEqualTo(mib * MIB);
        assertThat(card.memoryReservedBytes().orElseThrow()).isEqualTo(reserved * MIB);
        assertThat(card.compute()).map(CudaCapability::toString).contains(compute);
        assertThat(card.mig().map(MigFacts::enabled)).isEqualTo(Optional.ofNullable(mig));
        assertThat(card.ecc()).contains(true);
        assertThat(card.numaNode()).hasValue(0);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1MiB, 1", "600MiB, 600"})
    void whatTheDriverReservesIsRead(String reserved, long mib) throws Exception {
        driver.write("card kind=T4 reserved=" + reserved);
        assertThat(driver.facts().getFirst().memoryReservedBytes()).hasValue(mib * MIB);
    }

    /** Not supported, no such function in the driver, another version of the structure. */
    @ParameterizedTest
    @ValueSource(ints = {3, 13, 25})
    void aDriverThatDoesNotReportWhatItReservesCountsItAsUsed(int code) throws Exception {
        driver.write("card kind=T4 uuid=" + UUID_A + " used=1GiB fails=nvmlDeviceGetMemoryInfo_v2:" + code);
        CardFacts card = driver.facts().getFirst();
        assertThat(card.memoryTotalBytes()).hasValue(15360 * MIB);
        assertThat(card.memoryReservedBytes()).isEmpty();
        try (Nvml nvml = driver.open()) {
            assertThat(nvml.utilization(UUID_A, Instant.EPOCH).memoryUsedBytes())
                    .hasValue((1024 + 447) * MIB);
        }
    }

    @Test
    void differentCardsAreListedInTheOrderOfTheFile() throws Exception {
        driver.write(
                "# a node that grew",
                "card kind=L40S memory=48GiB numa=1",
                "",
                "card kind=A10 memory=24GiB # new",
                "card kind=T4");
        List<CardFacts> cards = driver.facts();
        assertThat(cards)
                .extracting(card -> card.model().orElseThrow())
                .containsExactly("NVIDIA L40S", "NVIDIA A10", "Tesla T4");
        assertThat(cards).extracting(CardFacts::index).containsExactly(0, 1, 2);
        assertThat(cards).extracting(card -> card.minor().orElseThrow()).containsExactly(0, 1, 2);
        assertThat(cards)
                .extracting(card -> card.memoryTotalBytes().orElseThrow() / MIB)
                .containsExactly(49152L, 24576L, 15360L);
    }

    @Test
    void generatedUuidsAreStableAndUniquePerCardAndNode() throws Exception {
        driver.write("driver node=a", "card kind=T4", "card kind=T4", "card kind=A10");
        List<String> ofA = uuids();
        driver.write("driver node=b", "card kind=T4", "card kind=T4", "card kind=A10");
        List<String> ofB = uuids();
        driver.write("card kind=T4", "card kind=T4 uuid-seed=1", "card kind=A10", "driver node=a");
        assertThat(uuids()).isEqualTo(ofA);
        assertThat(ofA)
                .hasSize(3)
                .doesNotHaveDuplicates()
                .doesNotContainAnyElementsOf(ofB)
                .allSatisfy(uuid -> assertThat(uuid).matches("GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"));
    }

    private List<String> uuids() throws NvmlException {
        return driver.facts().stream().map(CardFacts::uuid).toList();
    }

    @Test
    void whatThePlatformDoesNotReportIsEmpty() throws Exception {
        driver.write("card kind=T4 numa=none");
        assertThat(driver.facts().getFirst().numaNode()).isEmpty();
    }

    @Test
    void aCardWithoutAMinorNumberIsPresent() throws Exception {
        driver.write("driver fails=nvmlDeviceGetMinorNumber:3", "card kind=T4 uuid=" + UUID_A);
        assertThat(driver.facts()).singleElement().satisfies(card -> {
            assertThat(card.uuid()).isEqualTo(UUID_A);
            assertThat(card.minor()).isEmpty();
        });
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
            assertThatThrownBy(() -> nvml.utilization(UUID_A, Instant.EPOCH))
                    .isInstanceOfSatisfying(
                            NvmlException.CardLost.class,
                            e -> assertThat(e.uuid()).contains(UUID_A));
            driver.write("card kind=T4 uuid=" + UUID_A, "card kind=A10 uuid=" + UUID_B);
            assertThat(nvml.cards()).isEqualTo(before);
        }
    }

    @Test
    void aCardThatWasLostBeforeTheSessionHasNoUuid() throws Exception {
        driver.write("card kind=T4 lost", "card kind=T4 uuid=" + UUID_B);
        try (Nvml nvml = driver.open()) {
            assertThat(nvml.cards().getFirst())
                    .isInstanceOfSatisfying(
                            CardReading.Lost.class,
                            lost -> assertThat(lost.uuid()).isEmpty());
        }
    }

    @Test
    void aLostCardDoesNotGetTheUuidOfACardAtAnotherIndex() throws Exception {
        driver.write("card kind=T4 uuid=" + UUID_A);
        try (Nvml nvml = driver.open()) {
            nvml.cards();
            driver.write("card kind=A10 lost", "card kind=T4 uuid=" + UUID_A);
            assertThat(nvml.cards().getFirst())
                    .isInstanceOfSatisfying(
                            CardReading.Lost.class,
                            lost -> assertThat(lost.uuid()).isEmpty());
        }
    }

    @Test
    void anotherFailureHasNvmlsMessage() throws Exception {
        driver.write("card kind=T4 error=16", "card kind=T4");
        try (Nvml nvml = driver.open()) {
            assertThat(nvml.cards().getFirst())
                    .isInstanceOfSatisfying(
                            CardReading.Lost.class,
                            lost -> assertThat(lost.reason()).contains("GPU requires reset"));
            assertThat(nvml.cards().getLast()).isInstanceOf(CardReading.Present.class);
        }
    }
}
