package io.gpushare.plugin.metrics;

import io.gpushare.plugin.usage.ContainerShare;
import io.gpushare.plugin.usage.NodeUsage.Used;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * What each container was given and uses of each of its cards. There are series of containers that hold a device now, so
 * never more than the node has devices; they go with their pods.
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
                "Memory of the card that the container was given; all of it where it has the card whole.",
                held -> OptionalDouble.of((double) held.memory().bytes()));
        gauge(
                "gpushare_container_memory_used_bytes",
                "Memory of the card that the container's processes use.",
                held -> used(held).map(Used::bytes).orElse(OptionalLong.empty()).stream()
                        .asDoubleStream()
                        .findFirst());
        gauge(
                "gpushare_container_utilisation_ratio",
                "Part of the card's time in which the container's processes computed, 0 to 1.",
                held -> used(held).map(Used::percent).orElse(OptionalInt.empty()).stream()
                        .mapToDouble(percent -> percent / 100.0)
                        .findFirst());
    }

    private Optional<Used> used(ContainerShare held) {
        return counts.load().of(held);
    }

    private void gauge(String name, String help, Function<ContainerShare, OptionalDouble> value) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames("card", "model", "namespace", "pod", "container")
                .callback(callback -> ContainerShare.of(counts.picture())
                        .forEach(held -> value.apply(held)
                                .ifPresent(number -> callback.call(
                                        number,
                                        held.card().id().uuid(),
                                        held.card().model(),
                                        held.pod().namespace(),
                                        held.pod().name(),
                                        held.container()))))
                .register(registry);
    }
}
