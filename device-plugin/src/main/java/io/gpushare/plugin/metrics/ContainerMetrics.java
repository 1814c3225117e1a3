package io.gpushare.plugin.metrics;

import io.gpushare.plugin.usage.ContainerShare;
import io.gpushare.plugin.usage.NodeUsage.Measured;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * The allocation and the usage of each container on each of its cards. Only containers that have a device now have series,
 * so there are never more of them than the node has devices.
 */
final class ContainerMetrics {
    private final PluginCounters counts;
    private final PrometheusRegistry registry;

    ContainerMetrics(PluginCounters counts, PrometheusRegistry registry) {
        this.counts = counts;
        this.registry = registry;
    }

    void register() {
        gauge(
                "gpushare_container_memory_allocated_bytes",
                "Memory of the card that is allocated to the container; all of it if the container has the whole card.",
                share -> OptionalDouble.of((double) share.memory().bytes()));
        gauge(
                "gpushare_container_memory_used_bytes",
                "Memory of the card that the container's processes use.",
                share -> measured(share).map(Measured::bytes).orElse(OptionalLong.empty()).stream()
                        .asDoubleStream()
                        .findFirst());
        gauge(
                "gpushare_container_utilisation_ratio",
                "Fraction of time in which the container's processes compute on the card, 0 to 1.",
                share -> measured(share).map(Measured::percent).orElse(OptionalInt.empty()).stream()
                        .mapToDouble(percent -> percent / 100.0)
                        .findFirst());
        gauge(
                "gpushare_container_idle_seconds",
                "Time since the container's processes last computed on the card, or since the plugin has known it.",
                share -> counts.idle(share).stream()
                        .mapToDouble(time -> time.toMillis() / 1000.0)
                        .findFirst());
    }

    private Optional<Measured> measured(ContainerShare share) {
        return counts.usage().of(share);
    }

    private void gauge(String name, String help, Function<ContainerShare, OptionalDouble> value) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames("card", "model", "namespace", "pod", "container")
                .callback(callback -> ContainerShare.of(counts.snapshot())
                        .forEach(share -> value.apply(share)
                                .ifPresent(number -> callback.call(
                                        number,
                                        share.card().id().uuid(),
                                        share.card().model(),
                                        share.pod().namespace(),
                                        share.pod().name(),
                                        share.container()))))
                .register(registry);
    }
}
