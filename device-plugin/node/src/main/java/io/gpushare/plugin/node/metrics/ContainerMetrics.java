package io.gpushare.plugin.node.metrics;

import io.gpushare.plugin.node.holdings.LatestHoldings;
import io.gpushare.plugin.node.monitor.UsageMonitor;
import io.gpushare.plugin.node.usage.ContainerShare;
import io.gpushare.plugin.node.usage.NodeUsage.Measured;
import java.util.function.Function;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/**
 * The allocation and the usage of each container on each of its cards. Only containers that have a device now have
 * series, so there are never more of them than the node has devices, and no more than {@link #MOST}.
 */
record ContainerMetrics(PluginMetrics metrics, LatestHoldings latest, UsageMonitor usage) {
    /** More than 110 pods have with 24 containers each. */
    static final int MOST = 4096;

    void register() {
        metrics.gauges(
                "gpushare_plugin_container_series_left_out",
                "Containers on cards that have no series, because there are too many on the node.",
                series ->
                        series.call(Math.max(0, ContainerShare.of(latest.now()).size() - MOST)));
        gauge(
                "gpushare_container_memory_allocated_bytes",
                "Memory of the card that is allocated to the container; all of it if the container has the whole card.",
                share -> DoubleStream.of((double) share.memory().bytes()));
        gauge(
                "gpushare_container_memory_used_bytes",
                "Memory of the card that the container's processes use.",
                share -> measured(share)
                        .flatMapToDouble(used -> used.bytes().stream().asDoubleStream()));
        gauge(
                "gpushare_container_utilisation_ratio",
                "Fraction of time in which the container's processes compute on the card, 0 to 1; absent while"
                        + " unknown.",
                share -> measured(share)
                        .flatMapToDouble(used -> used.percent().stream().mapToDouble(percent -> percent / 100.0)));
        gauge(
                "gpushare_container_idle_seconds",
                "Time since the container's processes last computed on the card, or since that is known.",
                share -> usage.idle(share).stream().mapToDouble(time -> time.toMillis() / 1000.0));
    }

    private Stream<Measured> measured(ContainerShare share) {
        return usage.now().of(share).stream();
    }

    private void gauge(String name, String help, Function<ContainerShare, DoubleStream> value) {
        metrics.gauges(
                name,
                help,
                series -> ContainerShare.of(latest.now()).stream()
                        .limit(MOST)
                        .forEach(share -> value.apply(share)
                                .forEach(number -> series.ofCard(
                                        number,
                                        share.card(),
                                        share.pod().namespace(),
                                        share.pod().name(),
                                        share.container()))),
                "card",
                "model",
                "namespace",
                "pod",
                "container");
    }
}
