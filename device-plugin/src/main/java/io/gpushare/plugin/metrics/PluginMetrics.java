package io.gpushare.plugin.metrics;

import io.gpushare.model.card.Card;
import io.gpushare.plugin.isolation.IsolationProvider;
import io.gpushare.plugin.monitor.UsageMonitor;
import io.gpushare.plugin.state.LatestSnapshot;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.core.metrics.Info;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Every metric of the plugin, in Prometheus' text format. Their values are read at each scrape, by several threads. */
public final class PluginMetrics {
    /** Receives the series of a metric. */
    @FunctionalInterface
    public interface Series {
        /** One series: its value, and the values of its labels. */
        void call(double value, String... labels);

        /** One series whose first labels are the card and its model. */
        default void ofCard(double value, Card card, String... labels) {
            call(
                    value,
                    Stream.concat(Stream.of(card.id().uuid(), card.model()), Stream.of(labels))
                            .toArray(String[]::new));
        }
    }

    static final String CONTENT_TYPE = PrometheusTextFormatWriter.CONTENT_TYPE;

    private static final Set<String> CALLS = Set.of("allocate", "get_preferred_allocation", "pre_start_container");

    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final Histogram seconds = Histogram.builder()
            .name("gpushare_plugin_call_duration_seconds")
            .help("Time to respond to a kubelet call; a slow response delays every pod of the node.")
            .labelNames("call")
            .classicOnly()
            .classicUpperBounds(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5)
            .register(registry);

    /** Registers what the plugin measures itself: the version and the duration of calls. */
    public PluginMetrics(String version) {
        CALLS.forEach(seconds::initLabelValues);
        Info.builder()
                .name("gpushare_plugin_build_info")
                .help("The version of the program.")
                .labelNames("version")
                .register(registry)
                .setLabelValues(version);
    }

    /** Registers the state and the usage of the node's cards and containers. */
    public void registerNode(LatestSnapshot latest, UsageMonitor usage, IsolationProvider provider) {
        new CardMetrics(this, latest, usage).register(provider);
        new ContainerMetrics(this, latest, usage).register();
    }

    /** Registers a counter with one series. */
    public void counter(String name, String help, LongSupplier value) {
        counters(name, help, series -> series.call((double) value.getAsLong()));
    }

    /** Registers a counter with a series for each key; constants of an enum are in small letters. */
    public void counter(String name, String help, String label, Supplier<? extends Map<?, Long>> values) {
        counters(name, help, series -> values.get().forEach((key, count) -> series.call(count, text(key))), label);
    }

    private static String text(Object key) {
        return key instanceof Enum<?> constant ? constant.name().toLowerCase(Locale.ROOT) : key.toString();
    }

    /** Registers a counter with any series. */
    public void counters(String name, String help, Consumer<Series> values, String... labels) {
        CounterWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames(labels)
                .callback(callback -> values.accept(callback::call))
                .register(registry);
    }

    /** Registers a gauge with any series. */
    public void gauges(String name, String help, Consumer<Series> values, String... labels) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames(labels)
                .callback(callback -> values.accept(callback::call))
                .register(registry);
    }

    /** A kubelet call ended, by a response or a failure, after that time. */
    public void observe(String call, long nanos) {
        String label = call.replaceAll("(?<=[a-z])(?=[A-Z])", "_").toLowerCase(Locale.ROOT);
        if (CALLS.contains(label)) {
            seconds.labelValues(label).observe(nanos / 1e9);
        }
    }

    byte[] text() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(4096);
        try {
            PrometheusTextFormatWriter.create().write(bytes, registry.scrape());
        } catch (IOException e) {
            throw new UncheckedIOException("a write to memory can't fail", e);
        }
        return bytes.toByteArray();
    }
}
