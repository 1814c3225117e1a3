package io.gpushare.nvml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.gpushare.nvml.library.NvmlException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** Compares the binding with nvidia-smi, on a machine with a real card and its driver. */
class RealNvmlIT {
    private static final long MIB = 1L << 20;

    /** Between the two readings, a card may warm up and its utilization may change. */
    private static final int DEGREES = 10;

    private static final double WATTS = 100;

    @SuppressWarnings("NullAway.Init")
    private static Nvml nvml;

    @SuppressWarnings("NullAway.Init")
    private static List<CardFacts> cards;

    @BeforeAll
    static void open() throws NvmlException {
        try {
            nvml = Nvml.open(Nvml.DEFAULT_LIBRARY);
        } catch (NvmlException.DriverMissing e) {
            throw new AssertionError(
                    "-Preal-nvml needs a machine with an NVIDIA card and its driver; this one has none: "
                            + e.getMessage());
        }
        cards = nvml.cards().stream()
                .map(reading -> switch (reading) {
                    case CardReading.Present present -> present.facts();
                    case CardReading.Lost lost -> throw new AssertionError("a card does not answer: " + lost);
                })
                .toList();
        System.out.println("real NVML: " + nvml.driver() + " " + cards);
    }

    @AfterAll
    static void close() {
        if (nvml != null) {
            nvml.close();
        }
    }

    @Test
    void everyCardHasTheFactsOfNvidiaSmi() {
        List<Map<String, String>> rows = NvidiaSmi.cards(
                "index",
                "name",
                "uuid",
                "memory.total",
                "compute_cap",
                "pci.bus_id",
                "ecc.mode.current",
                "mig.mode.current");
        assertThat(rows).isNotEmpty().hasSameSizeAs(cards);
        for (int i = 0; i < cards.size(); i++) {
            CardFacts card = cards.get(i);
            Map<String, String> row = rows.get(i);
            assertThat(row)
                    .containsEntry("index", String.valueOf(card.index()))
                    .containsEntry("name", card.model().orElse(""))
                    .containsEntry("uuid", card.uuid())
                    .containsEntry(
                            "memory.total",
                            String.valueOf(card.memoryTotalBytes().orElseThrow() / MIB));
            assertThat(card.compute().map(CudaCapability::toString))
                    .isEqualTo(Optional.ofNullable(row.get("compute_cap")));
            assertThat(card.ecc()).isEqualTo(enabled(row.get("ecc.mode.current")));
            assertThat(card.mig()).isEqualTo(enabled(row.get("mig.mode.current")));
        }
    }

    private static Optional<Boolean> enabled(@Nullable String mode) {
        return Optional.ofNullable(mode).map("Enabled"::equals);
    }

    @Test
    void versionsAndMinorNumbersAreThoseOfTheReport() throws Exception {
        Element report = NvidiaSmi.report();
        DriverFacts driver = nvml.driver();
        assertThat(NvidiaSmi.text(report, "driver_version")).isEqualTo(driver.version());
        assertThat(NvidiaSmi.text(report, "cuda_version")).isEqualTo(driver.cuda());
        NodeList gpus = report.getElementsByTagName("gpu");
        List<Optional<String>> minors = new ArrayList<>();
        for (int i = 0; i < gpus.getLength(); i++) {
            minors.add(NvidiaSmi.text((Element) gpus.item(i), "minor_number"));
        }
        assertThat(cards.stream()
                        .map(card ->
                                card.minor().stream().mapToObj(String::valueOf).findFirst())
                        .toList())
                .isEqualTo(minors);
    }

    @Test
    void theUtilizationIsCloseToThatOfNvidiaSmi() throws NvmlException {
        List<Map<String, String>> rows =
                NvidiaSmi.cards("memory.used", "temperature.gpu", "power.draw", "utilization.gpu");
        for (int i = 0; i < cards.size(); i++) {
            CardUtilization load = nvml.utilization(cards.get(i).uuid(), Instant.EPOCH);
            Map<String, String> row = rows.get(i);
            assertThat((double) load.memoryUsedBytes().orElseThrow() / MIB)
                    .isCloseTo(Double.parseDouble(row.getOrDefault("memory.used", "-1")), within(1024.0));
            near(load.temperatureCelsius(), 1, row.get("temperature.gpu"), DEGREES);
            near(load.powerMilliwatts(), 1000, row.get("power.draw"), WATTS);
            near(load.gpuUtilization(), 1, row.get("utilization.gpu"), 100);
        }
    }

    private static void near(OptionalInt ours, int scale, @Nullable String theirs, double tolerance) {
        assertThat(ours.isPresent()).isEqualTo(theirs != null);
        if (theirs != null) {
            assertThat((double) ours.orElseThrow() / scale).isCloseTo(Double.parseDouble(theirs), within(tolerance));
        }
    }

    @Test
    void theProcessesAreThoseOfNvidiaSmi() throws NvmlException {
        List<Map<String, String>> rows = NvidiaSmi.processes("gpu_uuid", "pid");
        for (CardFacts card : cards) {
            CardUtilization load = nvml.utilization(card.uuid(), Instant.EPOCH);
            assertThat(load.processes().orElseThrow())
                    .extracting(process -> String.valueOf(process.pid()))
                    .containsExactlyInAnyOrderElementsOf(rows.stream()
                            .filter(row -> card.uuid().equals(row.get("gpu_uuid")))
                            .map(row -> row.getOrDefault("pid", ""))
                            .toList());
        }
    }

    @Test
    void everyPairOfCardsHasALink() throws NvmlException {
        for (CardFacts one : cards) {
            for (CardFacts other : cards) {
                assertThat(nvml.link(one.uuid(), other.uuid()).nvLinks()).isNotNegative();
            }
        }
    }

    @Test
    void aWatchOfAllCardsWaitsAndEnds() throws NvmlException {
        try (XidWatch watch = nvml.watchXids(cards.stream().map(CardFacts::uuid).toList())) {
            System.out.println("real NVML: cards that can't report Xids: " + watch.unwatched());
            assertThat(watch.await(Duration.ofMillis(200))).isEmpty();
        }
    }
}
