package io.gpushare.simulated.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class MetricTableTest {
    @Test
    void whatDiffersFromThePagesIsNamed() throws IOException {
        assertThat(MetricTable.differences("""
            # TYPE gpushare_card_healthy gauge
            gpushare_card_healthy{card="GPU-1",model="a \\"b\\",c=\\"d\\""} 1.0
            # TYPE gpushare_plugin_call_duration_seconds histogram
            gpushare_plugin_call_duration_seconds_bucket{call="allocate",le="0.5"} 1
            gpushare_plugin_call_duration_seconds_count{call="allocate"} 1
            # TYPE gpushare_card_cordoned counter
            gpushare_card_cordoned{card="GPU-1"} 1.0
            # TYPE gpushare_card_colour gauge
            gpushare_card_colour 1.0
            # TYPE gpushare_extender_filtered_nodes_total counter
            gpushare_extender_filtered_nodes_total{outcome="feasible"} 1.0
            gpushare_extender_filtered_nodes_total{outcome="no_free_cards_even_empty"} 1.0
            gpushare_extender_filtered_nodes_total{outcome="no_luck"} 1.0
            # TYPE gpushare_plugin_registrations_total counter
            gpushare_plugin_registrations_total{resource="aliyun.com/gpu-mem"} 1.0
            """))
                .containsExactly(
                        "gpushare_card_colour is exposed as a gauge with the labels [], and deploy/docs/reference has"
                                + " no row of it",
                        "gpushare_card_cordoned is exposed as a counter with the labels [card], and"
                                + " deploy/docs/reference has a gauge with the labels [card, model]",
                        "gpushare_extender_filtered_nodes_total has a series with the value no_luck, which"
                                + " deploy/docs/reference does not name");
    }
}
