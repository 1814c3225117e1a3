package io.gpushare.insight.usage;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.insight.waste.CardFigure;
import io.gpushare.insight.waste.CardUsage.CardUse;
import io.gpushare.insight.waste.CardUsage.NodeUse;
import io.gpushare.insight.waste.CardUsage.Part;
import io.gpushare.insight.waste.CardUsage.PodUse;
import io.gpushare.insight.waste.ContainerFigure;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PluginMetricsParserTest {
    @Test
    void samplesOfCardsAndPodsAreReadAndOthersAreIgnored() {
        assertThat(PluginMetricsParser.read("""
            # HELP gpushare_card_memory_used_bytes In use by anyone.
            gpushare_card_memory_capacity_bytes{card="GPU-1",model="T4"} 1.6E10
            gpushare_card_memory_used_bytes{card="GPU-1",model="NVIDIA \\"T4\\", {new}"} 3.0E9
            gpushare_container_memory_used_bytes{card="GPU-1",container="a",namespace="n",pod="p"} 1.0E9
            gpushare_container_memory_used_bytes{card="GPU-1",container="b",namespace="n",pod="p"} 5.0E8 1700000000
            gpushare_container_idle_seconds{card="GPU-1",container="a",namespace="n",pod="p"} 4000.5
            gpushare_container_idle_seconds{card="GPU-1",container="b",namespace="n",pod="p"} 1900.0
            gpushare_card_utilisation_ratio{card="GPU-1",model="T4"} 0.875
            gpushare_card_temperature_celsius{card="GPU-1",model="T4"} 64.0
            gpushare_card_power_watts{card="GPU-1",model="T4"} 311.4
            gpushare_container_utilisation_ratio{card="GPU-1",container="a",namespace="n",pod="p"} 0.6
            gpushare_container_utilisation_ratio{card="GPU-1",container="b",namespace="n",pod="p"} 0.2
            gpushare_card_power_watts{card="GPU-2",model="T4"} 0.0
            """))
                .isEqualTo(new NodeUse(
                        Map.of(
                                "GPU-1",
                                        new CardUse(Map.of(
                                                CardFigure.USED_BYTES,
                                                3_000_000_000L,
                                                CardFigure.UTILIZATION,
                                                88L,
                                                CardFigure.TEMPERATURE,
                                                64L,
                                                CardFigure.POWER,
                                                311L)),
                                "GPU-2", new CardUse(Map.of(CardFigure.POWER, 0L))),
                        Map.of(
                                new Part("GPU-1", "n", "p"),
                                new PodUse(Map.of(
                                        ContainerFigure.USED_BYTES,
                                        1_500_000_000L,
                                        ContainerFigure.UTILIZATION,
                                        80L,
                                        ContainerFigure.IDLE_SECONDS,
                                        1900L)))));
    }

    @Test
    void malformedSamplesAreIgnored() {
        assertThat(PluginMetricsParser.read("""
            gpushare_card_memory_used_bytes{card="GPU-1"
            gpushare_card_memory_used_bytes{card="GPU-1"}
            gpushare_card_memory_used_bytes{card="GPU-1"} much
            gpushare_card_memory_used_bytes{card="GPU-1"} NaN
            gpushare_card_memory_used_bytes{card="GPU-1"} -5
            gpushare_card_memory_used_bytes{card=GPU-1} 5
            <html>
            """)).isEqualTo(NodeUse.UNKNOWN);
    }

    @Test
    void valuesThatNoCardCanHaveAreUnknown() {
        for (String metric : List.of(
                "gpushare_card_memory_used_bytes",
                "gpushare_card_utilisation_ratio",
                "gpushare_card_temperature_celsius",
                "gpushare_card_power_watts",
                "gpushare_container_memory_used_bytes",
                "gpushare_container_utilisation_ratio",
                "gpushare_container_idle_seconds")) {
            for (String value : List.of("NaN", "+Inf", "-Inf", "Infinity", "-1", "-1e300", "1e300", "", "0x", "1,5")) {
                assertThat(PluginMetricsParser.read(metric + "{card=\"GPU-1\"} " + value + "\n"))
                        .as(metric + " " + value)
                        .isEqualTo(NodeUse.UNKNOWN);
            }
        }
        assertThat(PluginMetricsParser.read("""
            gpushare_card_utilisation_ratio{card="GPU-1"} 1.01
            gpushare_card_temperature_celsius{card="GPU-1"} 201
            gpushare_card_power_watts{card="GPU-1"} 10001
            """)).isEqualTo(NodeUse.UNKNOWN);
    }

    @Test
    void sumsStayPossible() {
        String metrics =
                IntStream.range(0, 20_000).mapToObj(i -> """
                    gpushare_container_memory_used_bytes{card="GPU-1",container="c%1$d",namespace="n",pod="p"} 1.1e15
                    gpushare_container_utilisation_ratio{card="GPU-1",container="c%1$d",namespace="n",pod="p"} 0.9
                    """.formatted(i)).collect(Collectors.joining());
        assertThat(PluginMetricsParser.read(metrics).pods())
                .containsExactly(Map.entry(
                        new Part("GPU-1", "n", "p"),
                        new PodUse(Map.of(
                                ContainerFigure.USED_BYTES, (1L << 50) - 1, ContainerFigure.UTILIZATION, 100L))));
    }

    /** Its other container does not compute, which says nothing of this one. */
    @Test
    void whatIsUnknownOfAContainerIsUnknownOfItsPod() {
        assertThat(PluginMetricsParser.read("""
            gpushare_container_idle_seconds{card="GPU-1",container="a",namespace="n",pod="p"} 4000
            gpushare_container_memory_allocated_bytes{card="GPU-1",container="a",namespace="n",pod="p"} 4E9
            gpushare_container_memory_allocated_bytes{card="GPU-1",container="b",namespace="n",pod="p"} 4E9
            gpushare_container_memory_used_bytes{card="GPU-1",container="a",namespace="n",pod="p"} 0
            gpushare_container_memory_used_bytes{card="GPU-1",container="b",namespace="n",pod="p"} 3E9
            gpushare_container_utilisation_ratio{card="GPU-1",container="a",namespace="n",pod="p"} 0
            """).pods())
                .containsExactly(Map.entry(
                        new Part("GPU-1", "n", "p"), new PodUse(Map.of(ContainerFigure.USED_BYTES, 3_000_000_000L))));
    }

    @Test
    void aPluginThatReportsAllocationsOnlyReportsNoUsage() {
        assertThat(PluginMetricsParser.read("""
            gpushare_container_memory_allocated_bytes{card="GPU-1",container="a",namespace="n",pod="p"} 4E9
            """)).isEqualTo(NodeUse.UNKNOWN);
    }

    /** A plugin, or who has its token, chooses them. */
    @ParameterizedTest
    @ValueSource(strings = {"x", "\\\\n", "x\\\\n"})
    void labelsOfAnyLengthAreRead(String part) {
        String name = part.repeat(500_000);
        assertThat(PluginMetricsParser.read(
                                "gpushare_card_memory_used_bytes{card=\"GPU-1\",model=\"" + name + "\"} 7\n")
                        .cards())
                .isEqualTo(Map.of("GPU-1", new CardUse(Map.of(CardFigure.USED_BYTES, 7L))));
    }
}
