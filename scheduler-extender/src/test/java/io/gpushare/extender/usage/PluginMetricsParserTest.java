package io.gpushare.extender.usage;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.waste.MemoryUsage.NodeUse;
import io.gpushare.extender.waste.MemoryUsage.Part;
import java.util.Map;
import org.junit.jupiter.api.Test;

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
            """))
                .isEqualTo(new NodeUse(
                        Map.of("GPU-1", 3_000_000_000L),
                        Map.of(new Part("GPU-1", "n", "p"), 1_500_000_000L),
                        Map.of(new Part("GPU-1", "n", "p"), 1900L)));
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
}
