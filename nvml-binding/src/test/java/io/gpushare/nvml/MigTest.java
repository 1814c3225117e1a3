package io.gpushare.nvml;

import static io.gpushare.nvml.SimulatedDriver.UUID_A;
import static io.gpushare.nvml.SimulatedDriver.UUID_B;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.PointerByReference;
import io.gpushare.nvml.library.NvmlCode;
import io.gpushare.nvml.library.NvmlException;
import io.gpushare.nvml.library.NvmlLibrary;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MigTest {
    private static final long MIB = 1L << 20;
    private static final String CUT = "card kind=H100-80 uuid=" + UUID_A + " mig=3g.40gb,-,2g.20gb,1g.10gb,1g.10gb";

    @RegisterExtension
    private final SimulatedDriver driver = SimulatedDriver.current();

    @Test
    void everyFactOfEachInstanceIsReadAndEmptyPlacesAreSkipped() throws Exception {
        driver.write(CUT);
        MigFacts mig = driver.facts().getFirst().mig().orElseThrow();
        assertThat(mig.enabled()).isTrue();
        assertThat(mig.pending()).isTrue();
        assertThat(mig.instances())
                .extracting(MigFacts.Instance::profile)
                .containsExactly(
                        Optional.of("3g.40gb"), Optional.of("2g.20gb"), Optional.of("1g.10gb"), Optional.of("1g.10gb"));
        assertThat(mig.instances())
                .extracting(MigFacts.Instance::memoryTotalBytes)
                .containsExactly(
                        OptionalLong.of(40448 * MIB),
                        OptionalLong.of(20096 * MIB),
                        OptionalLong.of(9984 * MIB),
                        OptionalLong.of(9984 * MIB));
        assertThat(mig.instances()).extracting(MigFacts.Instance::gpuInstance).containsExactly(1, 3, 7, 8);
        assertThat(mig.instances())
                .extracting(MigFacts.Instance::computeInstance)
                .containsOnly(0);
        assertThat(mig.instances()).allMatch(MigFacts.Instance::whole);
        assertThat(mig.instances())
                .extracting(MigFacts.Instance::uuid)
                .doesNotHaveDuplicates()
                .allSatisfy(uuid -> assertThat(uuid).matches("MIG-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"));
    }

    @Test
    void computeInstancesOfOneGpuInstanceShareItsMemory() throws Exception {
        driver.write("card kind=H100-80 mig=1c.3g.40gb,2c.3g.40gb,1c.3g.40gb");
        List<MigFacts.Instance> instances = instances();
        assertThat(instances).extracting(MigFacts.Instance::gpuInstance).containsExactly(1, 1, 2);
        assertThat(instances).extracting(MigFacts.Instance::computeInstance).containsExactly(0, 1, 0);
        assertThat(instances).noneMatch(MigFacts.Instance::whole);
    }

    @Test
    void attributesStayInTheNameOfTheProfile() throws Exception {
        driver.write("card kind=A100-80 mig=1g.10gb+me,1g.10gb");
        assertThat(instances())
                .extracting(each -> each.profile().orElseThrow())
                .containsExactly("1g.10gb+me", "1g.10gb");
    }

    @Test
    void drivers470GaveInstancesUuidsOfTheirOwn() throws Exception {
        driver.write("driver version=460.32.03", "card kind=A100-40 uuid=" + UUID_A + " mig=-,1g.5gb");
        assertThat(instances()).extracting(MigFacts.Instance::uuid).containsExactly("MIG-" + UUID_A + "/7/0");
        driver.write("driver version=470.57.02", "card kind=A100-40 uuid=" + UUID_A + " mig=-,1g.5gb");
        assertThat(instances().getFirst().uuid()).doesNotContain("/");
    }

    @Test
    void aReCutIsSeenInOneSession() throws Exception {
        driver.write(CUT);
        try (Nvml nvml = driver.open()) {
            List<String> before = uuids(nvml);
            assertThat(before).hasSize(4);
            driver.write("card kind=H100-80 uuid=" + UUID_A + " mig=on");
            assertThat(uuids(nvml)).isEmpty();
            assertThatThrownBy(() -> nvml.utilization(before.getFirst(), Instant.EPOCH))
                    .isInstanceOf(NvmlException.class);
            driver.write(CUT + " mig-seed=again");
            assertThat(uuids(nvml)).hasSize(4).doesNotContainAnyElementsOf(before);
            driver.write(CUT);
            assertThat(uuids(nvml)).isEqualTo(before);
        }
    }

    @Test
    void aPendingChangeOfTheModeIsRead() throws Exception {
        driver.write("card kind=A100-40 mig=off mig-pending=on", "card kind=A100-40 mig=1g.5gb mig-pending=off");
        List<CardFacts> cards = driver.facts();
        assertThat(cards.getFirst().mig()).contains(new MigFacts(false, true, List.of()));
        assertThat(cards.getLast().mig().orElseThrow().pending()).isFalse();
        assertThat(cards.getLast().mig().orElseThrow().instances()).hasSize(1);
    }

    @Test
    void anInstanceReportsItsOwnProcessesAndWhatItsCardMeasures() throws Exception {
        driver.write(
                CUT + " temperature=61 power=300 utilisation=80/20 ecc-errors=3/1",
                "process pid=11 card=0 instance=0 memory=2GiB utilisation=50",
                "process pid=12 card=0 instance=2 memory=1GiB");
        List<MigFacts.Instance> instances = instances();
        try (Nvml nvml = driver.open()) {
            CardUtilization first = nvml.utilization(instances.getFirst().uuid(), Instant.EPOCH);
            assertThat(first.memoryUsedBytes()).hasValue(2048 * MIB);
            assertThat(first.processes().orElseThrow())
                    .extracting(each -> each.pid())
                    .containsExactly(11L);
            assertThat(first.gpuUtilization()).isEmpty();
            assertThat(first.processes().orElseThrow().getFirst().gpuUtilization())
                    .isEmpty();
            assertThat(first.temperatureCelsius()).hasValue(61);
            assertThat(first.powerMilliwatts()).hasValue(300_000);
            assertThat(first.eccErrors()).contains(new CardUtilization.EccErrors(3, 1));
            assertThat(nvml.utilization(instances.get(1).uuid(), Instant.EPOCH)
                            .processes()
                            .orElseThrow())
                    .extracting(each -> each.pid())
                    .containsExactly(12L);
            assertThat(nvml.utilization(UUID_A, Instant.EPOCH).processes().orElseThrow())
                    .hasSize(2);
            driver.write(CUT, "process pid=13 card=" + instances.get(2).uuid() + " memory=1GiB");
            assertThat(nvml.utilization(instances.get(2).uuid(), Instant.EPOCH)
                            .processes()
                            .orElseThrow())
                    .extracting(each -> each.pid())
                    .containsExactly(13L);
        }
    }

    @Test
    void anXidOfAnInstanceHasItsNumbers() throws Exception {
        driver.write(CUT, "card kind=T4 uuid=" + UUID_B);
        try (Nvml nvml = driver.open();
                XidWatch watch = nvml.watchXids(List.of(UUID_A, UUID_B))) {
            driver.write(CUT + " xid=43#1@2,79#2", "card kind=T4 uuid=" + UUID_B);
            assertThat(watch.await(Duration.ofSeconds(20)))
                    .contains(new XidEvent(Optional.of(UUID_A), 43, OptionalInt.of(3), OptionalInt.of(0)));
            assertThat(watch.await(Duration.ofSeconds(20))).contains(new XidEvent(Optional.of(UUID_A), 79));
        }
    }

    @Test
    void theNumbersOfTheDeviceFilesAreThoseOfRealDrivers() throws Exception {
        driver.write(CUT);
        assertThat(instances()).isNotEmpty();
        assertThat(Files.readAllLines(driver.file().resolveSibling("cards.mig-minors")))
                .hasSize(4322)
                .startsWith("config 1", "monitor 2", "gpu0/gi0/access 3", "gpu0/gi0/ci0/access 4")
                .contains("gpu0/gi1/access 12", "gpu0/gi1/ci0/access 13");
    }

    /** The codes of an H100 with driver 580.159.04. */
    @Test
    void aFullCardAnswersAsARealOneDoes() {
        driver.write("card kind=H100-80");
        NvmlLibrary nvml = driver.library();
        var card = new PointerByReference();
        var number = new IntByReference(9);
        assertThat(nvml.nvmlInit_v2()).isEqualTo(NvmlCode.SUCCESS);
        assertThat(nvml.nvmlDeviceGetHandleByIndex_v2(0, card)).isEqualTo(NvmlCode.SUCCESS);
        assertThat(nvml.nvmlDeviceGetMaxMigDeviceCount(card.getValue(), number)).isEqualTo(NvmlCode.SUCCESS);
        assertThat(number.getValue()).isZero();
        var other = new PointerByReference();
        assertThat(List.of(0, 6, 7))
                .allSatisfy(place -> assertThat(nvml.nvmlDeviceGetMigDeviceHandleByIndex(card.getValue(), place, other))
                        .isEqualTo(NvmlCode.NOT_FOUND));
        assertThat(nvml.nvmlDeviceGetGpuInstanceId(card.getValue(), number)).isEqualTo(NvmlCode.INVALID_ARGUMENT);
        assertThat(nvml.nvmlDeviceGetComputeInstanceId(card.getValue(), number)).isEqualTo(NvmlCode.INVALID_ARGUMENT);
        assertThat(nvml.nvmlDeviceGetDeviceHandleFromMigDeviceHandle(card.getValue(), other))
                .isEqualTo(NvmlCode.INVALID_ARGUMENT);
        assertThat(nvml.nvmlDeviceGetAttributes_v2(card.getValue(), new NvmlLibrary.nvmlDeviceAttributes_t()))
                .isEqualTo(NvmlCode.NOT_SUPPORTED);
        nvml.nvmlShutdown();
    }

    @ParameterizedTest
    @ValueSource(strings = {"3g.40gb,3g.40gb,3g.40gb", "8g.80gb", "3g", "3g.40gb,", "1c.1g.10gb", "7g.90gb", "x"})
    void aCutThatNoCardCanHaveIsRefused(String cut) throws Exception {
        driver.write("card kind=H100-80 mig=" + cut);
        assertThatThrownBy(driver::open).isInstanceOf(NvmlException.Failed.class);
        assertThat(driver.exports().simulatedProblem()).contains("mig=" + cut);
    }

    @Test
    void aCardWithoutMigCannotBeCut() {
        driver.write("card kind=T4 mig=1g.10gb");
        assertThatThrownBy(driver::open).isInstanceOf(NvmlException.Failed.class);
        assertThat(driver.exports().simulatedProblem()).contains("a T4 has no MIG");
    }

    private List<MigFacts.Instance> instances() throws NvmlException {
        return driver.facts().getFirst().mig().orElseThrow().instances();
    }

    private static List<String> uuids(Nvml nvml) throws NvmlException {
        return nvml.cards().stream()
                .map(reading -> (CardReading.Present) reading)
                .flatMap(present -> present.facts().mig().stream())
                .flatMap(mig -> mig.instances().stream())
                .map(MigFacts.Instance::uuid)
                .toList();
    }

    /** A profile becomes part of the names of a resource and a file. */
    @Test
    void aProfileOfAnotherFormIsUnknown() throws Exception {
        driver.write("card kind=H100-80 uuid=" + UUID_A + " mig=1g.10gb+me/../x,1g.10gb+me");
        assertThat(driver.facts().getFirst().mig().orElseThrow().instances())
                .extracting(MigFacts.Instance::profile)
                .containsExactly(Optional.empty(), Optional.of("1g.10gb+me"));
    }
}
